//! What can be asked of LDP-GE. What is not given comes from settings that a search found, else from the preset of the
//! dataset and task, and where there is none from what is public about the data: how many people and columns there are.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{PartialSettings, Request, RequestFields};
use crate::graph::Error as DataError;
use crate::ldp_ge::{
    BestSettings, ClassifierKind, Embedding, FeatureProtection, LabelSpread, LdpGe, Learner,
    ListProtection, ListRandomizer, Preset, Private, Protection, Protocol, Shares, Task,
};
use crate::privacy::edges::Merge;
use crate::privacy::features::{Decoding, FeatureMechanism, FeatureSettings};
use crate::privacy::unit::DataPart;
use crate::release::LdpGeRelease;
use crate::settings::name;
use crate::{Error, Facts, Result};

/// The paper's randomizer.
const HDS: &str = "hds";

/// LDP-GE: what is predicted, what is secret at which price, and how it is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct LdpGeRequest {
    /// Privacy budget of a person's whole row of features (epsilon); where features are public, that of each private part
    /// without a budget of its own
    #[cfg_attr(feature = "clap", arg(long))]
    pub epsilon: f64,
    /// What to predict
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value_t))]
    pub task: Task,
    /// Share of the people who volunteer their features; a model learned from them runs on every other device, and its
    /// answer, randomised, is all that is sent
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE"))]
    pub volunteers: Option<f64>,
    /// Which parts are secret.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten, next_help_heading = "Secrets"))]
    pub secrets: Secrets,
    /// How it is done.
    #[serde(flatten)]
    #[cfg_attr(
        feature = "clap",
        command(
            flatten,
            next_help_heading = "Settings; those not given come from the preset of the dataset and task, or from its size"
        )
    )]
    pub method: LdpGeMethod,
}

/// Which parts of the data are secret, and what the other parts may cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct Secrets {
    /// Private parts of the data; everything else is public [default: features]
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "PARTS", value_delimiter = ','))]
    #[cfg_attr(feature = "clap", arg(value_parser = crate::options::by_name(&PARTS)))]
    pub private: Option<Vec<DataPart>>,
    /// Setting of another paper: which parts it hides, and what it sends
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "PAPER"))]
    pub protocol: Option<Protocol>,
    /// Privacy budget of a private label
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "EPSILON"))]
    pub label_epsilon: Option<f64>,
    /// Privacy budget of a private list of neighbours
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "EPSILON"))]
    pub edge_epsilon: Option<f64>,
    /// Take epsilon as one budget for label and list together, divided by how many people and classes there are;
    /// features, which say next to nothing at such prices, are not sent
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long))]
    pub one_budget: bool,
    /// Randomiser of private neighbour lists (default rr, or dprr where rr's reports would not fit)
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub edge_mechanism: Option<ListRandomizer>,
    /// Rule that merges two reports about a pair (default `and` for rr, `directed` for dprr)
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "RULE"))]
    #[cfg_attr(feature = "clap", arg(value_parser = crate::options::by_name(&crate::options::MERGES)))]
    pub merge: Option<Merge>,
}

/// Parts of the data that can be private.
#[cfg(feature = "clap")]
const PARTS: [DataPart; 3] = [DataPart::Features, DataPart::Labels, DataPart::Edges];

/// How LDP-GE is done. Nothing has a default here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct LdpGeMethod {
    /// Settings found by `privet tune` (best.json), in place of the preset
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub settings: Option<PathBuf>,
    /// Randomizer of features [default: hds]
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    #[cfg_attr(feature = "clap", arg(value_parser = clap::builder::PossibleValuesParser::new(FeatureMechanism::NAMES)))]
    pub mechanism: Option<String>,
    /// What it takes beside epsilon.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub randomizer: MechanismSettings,
    /// How to decode a report: an unbiased estimate, or the paper's formula
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "RULE"))]
    #[cfg_attr(feature = "clap", arg(value_parser = crate::options::by_name(&crate::options::DECODINGS)))]
    pub decoding: Option<Decoding>,
    /// How each user's class is found: one way, or several of which the best on validation labels is
    /// taken, which costs nothing (all of them for data without a preset)
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "WAYS", value_delimiter = ','))]
    pub ways: Option<Vec<ClassifierKind>>,
    /// How reports are spread.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub embedding: PartialSettings<Embedding>,
    /// How labels are.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub labels: PartialSettings<LabelSpread>,
    /// What is learned.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub learner: PartialSettings<Learner>,
}

/// What a randomizer of features takes beside epsilon.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct MechanismSettings {
    /// Number of columns each person reports; by default the best for epsilon
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long))]
    pub k: Option<usize>,
    /// Failure probability of the Gaussian mechanism (delta)
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long))]
    pub delta: Option<f64>,
    /// Number of bins of feature-rr
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long))]
    pub bins: Option<u32>,
}

impl MechanismSettings {
    /// The same for a mechanism.
    pub fn settings(self) -> FeatureSettings {
        FeatureSettings { k: self.k, delta: self.delta, bins: self.bins, theta: None }
    }
}

impl Secrets {
    /// What is private.
    pub fn parts(&self) -> Private {
        let has = |part| {
            self.private.as_ref().map_or(part == DataPart::Features, |all| all.contains(&part))
        };
        let given = Private {
            features: has(DataPart::Features),
            labels: has(DataPart::Labels),
            edges: has(DataPart::Edges),
        };
        self.protocol.map_or(given, Protocol::private)
    }

    /// What is private, if the task and the prices fit that.
    ///
    /// # Errors
    /// If a price is missing or is for nothing, or the task needs what is secret.
    pub fn checked(&self, task: Task) -> Result<Private> {
        let private = self.parts();
        let Private { features, labels, edges } = private;
        let refused = |name, reason, remedy| Err(Error::request(name, reason, remedy));
        if self.private.is_some() && self.protocol.is_some() {
            let reason = "a paper's protocol says what is private";
            return refused("private", reason, "leave one of private and protocol out");
        }
        if task == Task::Links && !features {
            let reason = "links have nothing to hide if features are public";
            return refused("task", reason, "make features private");
        }
        if task == Task::Links && edges {
            let reason = "links cannot have private edges: known links are what it learns from";
            return refused("task", reason, "leave edges out of private");
        }
        if task == Task::Links && labels {
            let reason = "links do not use labels: collecting them would cost people for nothing";
            return refused("task", reason, "leave labels out of private");
        }
        if self.one_budget && !(labels && edges) {
            let reason = "it divides what label and list may cost, and one of them is public";
            return refused("one-budget", reason, "make features, labels and edges private");
        }
        if self.one_budget && (self.label_epsilon.is_some() || self.edge_epsilon.is_some()) {
            let reason = "label and list have one budget together, and another of their own";
            return refused("one-budget", reason, "leave label-epsilon and edge-epsilon out");
        }
        if self.edge_epsilon.is_none() && (self.edge_mechanism.is_some() || self.merge.is_some()) {
            let why = "edge-mechanism and merge are about lists with a budget of their own";
            return Err(Error::Unsaid { name: "edge-epsilon", why });
        }
        let without = !features || self.one_budget;
        priced("labels", "label-epsilon", labels, self.label_epsilon, without)?;
        priced("edges", "edge-epsilon", edges, self.edge_epsilon, without)?;
        Ok(private)
    }
}

/// Refuses a secret part without a price, unless it has epsilon's, and a price of a public part.
fn priced(
    part: &str,
    name: &'static str,
    secret: bool,
    price: Option<f64>,
    has_epsilon: bool,
) -> Result<()> {
    match (secret, price) {
        (true, None) if !has_epsilon => {
            Err(Error::Unsaid { name, why: "each private part beside features has a price" })
        }
        (false, Some(_)) => {
            let reason = format!("it is the price of private {part}, but they are public");
            Err(Error::request(name, reason, format!("make {part} private")))
        }
        _ => Ok(()),
    }
}

impl RequestFields for LdpGeRequest {
    fn example() -> Self {
        Self {
            epsilon: 1.0,
            task: Task::default(),
            volunteers: None,
            secrets: Secrets::default(),
            method: LdpGeMethod {
                embedding: PartialSettings::all(&Embedding::default()),
                labels: PartialSettings::all(&LabelSpread::default()),
                learner: PartialSettings::all(&Learner::default()),
                ..LdpGeMethod::default()
            },
        }
    }

    fn validate(&self) -> Result<()> {
        self.secrets.checked(self.task)?;
        let method = &self.method;
        if let Some(mechanism) = &method.mechanism
            && !FeatureMechanism::NAMES.contains(&mechanism.as_str())
        {
            let known = FeatureMechanism::NAMES.iter().copied();
            return Err(DataError::unknown_name("mechanism", mechanism, known).into());
        }
        let labels = method.labels.over(LabelSpread::default())?;
        labels.check()?;
        if let Some(ways) = &method.ways
            && let Some(way) = ways.iter().find(|way| way.reads_labels() && labels.radii.is_empty())
        {
            let reason = format!("{} spreads labels, label-radii none does not", way.name());
            return Err(Error::request("ways", reason, "leave one of them out"));
        }
        if self.secrets.one_budget && (method.ways.is_some() || method.labels.has("label_radii")) {
            let reason = "labels and lists of one budget are read by propagation alone";
            return Err(Error::request("one-budget", reason, "leave ways and label-radii out"));
        }
        self.check_volunteers()
    }
}

impl Request for LdpGeRequest {
    type Release = LdpGeRelease;

    fn resolve(&self, facts: &Facts) -> Result<LdpGeRelease> {
        self.validate()?;
        let private = self.secrets.checked(self.task)?;
        if facts.columns == 0 {
            let (dataset, remedy) = (facts.name.clone(), "LDP-GE learns from them");
            return Err(Error::Missing { dataset, what: "features", remedy });
        }
        let (task, volunteers) = (self.task, self.volunteers);
        Ok(LdpGeRelease { task, system: self.system(facts, private)?, private, volunteers })
    }
}

impl LdpGeRequest {
    /// Refuses settings of what devices send about features, where they send answers of a model in place of them.
    fn check_volunteers(&self) -> Result<()> {
        let Some(share) = self.volunteers else { return Ok(()) };
        let fits = share > 0.0 && share < 1.0;
        Error::unless(fits, "volunteers", share, "a share between 0 and 1, such as 0.1")?;
        if self.task == Task::Links {
            let reason = "it is for nodes: what is answered are classes";
            return Err(Error::request(
                "volunteers",
                reason,
                "leave one of volunteers and task out",
            ));
        }
        let LdpGeMethod { mechanism, randomizer, decoding, embedding, labels, .. } = &self.method;
        let given = [
            ("private", self.secrets.private.is_some()),
            ("protocol", self.secrets.protocol.is_some()),
            ("mechanism", mechanism.is_some()),
            ("k", randomizer.k.is_some()),
            ("delta", randomizer.delta.is_some()),
            ("bins", randomizer.bins.is_some()),
            ("decoding", decoding.is_some()),
            ("label-radii", labels.has("label_radii")),
        ];
        let names = PartialSettings::<Embedding>::names().into_iter();
        let spread = names.filter(|name| embedding.has(name)).map(|name| name.replace('_', "-"));
        let given = given.into_iter().filter(|(_, given)| *given).map(|(name, _)| name.to_owned());
        match given.chain(spread).next() {
            None => Ok(()),
            Some(name) => {
                let reason = "where some volunteer, devices send the answer of a model alone";
                Err(Error::request(name, reason, "leave one of it and volunteers out"))
            }
        }
    }

    /// The settings that the rest is laid over.
    fn preset(&self, facts: &Facts, tuned: Option<&BestSettings>) -> Preset {
        match tuned {
            Some(tuned) => tuned.settings.clone(),
            None if self.task == Task::Nodes && !Preset::is_published(&facts.name) => {
                Preset::fitting(facts.total(), facts.columns)
            }
            None => Preset::of(self.task, &facts.name),
        }
    }

    fn system(&self, facts: &Facts, private: Private) -> Result<LdpGe> {
        let tuned = self.tuned()?;
        let (preset, method) = (self.preset(facts, tuned.as_ref()), &self.method);
        let labels = method.labels.over(LabelSpread::default())?;
        let system = LdpGe {
            protection: self.protection(facts, &preset, tuned.as_ref()),
            ways: self.ways(&labels, preset.ways, private),
            embedding: method.embedding.over(preset.embedding)?,
            learner: method.learner.over(preset.learner)?,
            labels,
        };
        system.check()?;
        Ok(system)
    }

    /// Settings out of a file, if one is named; they must have been found for the task.
    fn tuned(&self) -> Result<Option<BestSettings>> {
        let Some(path) = &self.method.settings else { return Ok(None) };
        let tuned = BestSettings::read(path)?;
        if tuned.task != self.task {
            let (found, wanted) = (name(&tuned.task), name(&self.task));
            let reason =
                format!("{} was found for the task {found}, not for {wanted}", path.display());
            let remedy = format!("ask for the task {found}, or leave the file out");
            return Err(Error::request("settings", reason, remedy));
        }
        Ok(Some(tuned))
    }

    fn protection(
        &self,
        facts: &Facts,
        preset: &Preset,
        tuned: Option<&BestSettings>,
    ) -> Protection {
        let (method, secrets, people) = (&self.method, &self.secrets, facts.total());
        let of_paper = secrets.protocol.and_then(Protocol::mechanism).map(str::to_owned);
        let of_file = tuned.map(|tuned| tuned.mechanism.clone());
        let mechanism = method.mechanism.clone().or(of_paper).or(of_file);
        let mechanism = mechanism.unwrap_or_else(|| HDS.into());
        // The published k is HDS's, for that dataset; everything else has a recommendation of its own.
        let same = tuned.is_some_and(|tuned| tuned.mechanism == mechanism);
        let known = (same || Preset::is_published(&facts.name)) && mechanism == HDS;
        let given = method.randomizer.settings();
        let settings = FeatureSettings { k: given.k.or(known.then_some(preset.k)), ..given };
        let (epsilon, decoding) = (self.epsilon, method.decoding.unwrap_or(preset.decoding));
        let features = FeatureProtection { mechanism, epsilon, settings, decoding };
        // Where it has no price of its own: either features are public, or it is, and the number is never looked at.
        let shares = match secrets.one_budget {
            true => Shares::of(epsilon, people, facts.classes),
            false => Shares { labels: epsilon, edges: epsilon },
        };
        let label_epsilon = secrets.label_epsilon.unwrap_or(shares.labels);
        Protection { features, label_epsilon, edges: self.lists(people, shares.edges) }
    }

    /// How neighbour lists are protected if they are private. `otherwise` is their price where they have none of their
    /// own.
    fn lists(&self, people: usize, otherwise: f64) -> ListProtection {
        let epsilon = self.secrets.edge_epsilon.unwrap_or(otherwise);
        let best = ListProtection::recommended(epsilon, people);
        let mechanism = self.secrets.edge_mechanism.unwrap_or(best.mechanism);
        let merge = self.secrets.merge.unwrap_or(mechanism.usual_merge());
        ListProtection { epsilon, mechanism, merge }
    }

    /// What was given; else what fits the secrets and the preset.
    fn ways(
        &self,
        labels: &LabelSpread,
        preset: Vec<ClassifierKind>,
        private: Private,
    ) -> Vec<ClassifierKind> {
        match &self.method.ways {
            Some(ways) => ways.clone(),
            None if self.secrets.one_budget => vec![ClassifierKind::Propagation],
            // The ways of links are the preset's: the paper's scorer, or that and what public links say.
            None if self.task == Task::Links => preset,
            None if labels.radii.is_empty() => vec![ClassifierKind::Features],
            None if self.method.labels.has("label_radii") => vec![ClassifierKind::Both],
            None => ClassifierKind::fitting(private, preset),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::data::synthetic::StochasticBlocks;
    use crate::ldp_ge::Spreading;
    use crate::request::{from_fields, names};

    fn facts(dataset: &str) -> Facts {
        let (nodes, classes, features) = (300, 3, 50);
        let blocks = StochasticBlocks { nodes, classes, features, ..Default::default() };
        let name = dataset.to_owned();
        Facts { name, ..Facts::of(&blocks.generate(1).unwrap()) }
    }

    fn request(mut fields: Value) -> Result<LdpGeRequest> {
        let epsilon = fields["epsilon"].as_f64().unwrap_or(2.0);
        fields["epsilon"] = json!(epsilon);
        from_fields(fields)
    }

    /// The system that fields stand for.
    fn system(dataset: &str, fields: Value) -> LdpGe {
        request(fields).unwrap().resolve(&facts(dataset)).unwrap().system
    }

    #[test]
    fn what_is_given_decides_which_ways_are_tried() {
        let ways = |dataset, fields| system(dataset, fields).ways;
        let local = json!({"private": ["features", "edges"], "edge_epsilon": 2.0});
        assert_eq!(ways("cora", json!({})), [ClassifierKind::Features], "the paper's");
        assert_eq!(
            ways("cora", local.clone()),
            [ClassifierKind::Propagation, ClassifierKind::Both]
        );
        assert_eq!(ways("cora", json!({"protocol": "blink"})).last(), Some(&ClassifierKind::Joint));
        assert_eq!(ways("mine.csv", json!({})), ClassifierKind::ALL);
        assert_eq!(ways("mine.csv", local.clone()), ClassifierKind::ALL);
        assert_eq!(ways("mine.csv", json!({"label_radii": [0.3, 0.1]})), [ClassifierKind::Both]);
        assert_eq!(ways("mine.csv", json!({"label_radii": []})), [ClassifierKind::Features]);
        assert_eq!(
            ways("cora", json!({"ways": ["labels", "both"]})),
            [ClassifierKind::Labels, ClassifierKind::Both]
        );
        assert_eq!(ways("cora", json!({"task": "links"})), [ClassifierKind::Features]);
        assert_eq!(ways("mine.csv", json!({"task": "links"})), [ClassifierKind::Both]);
        let radii = system("cora", json!({"label_radii": [0.3, 0.1]})).labels.radii;
        assert_eq!(radii, [0.3, 0.1]);
    }

    /// Whatever is given stands in the system, whether a preset knows the data or its size decides the rest.
    #[test]
    fn given_settings_always_win() {
        let given = json!({
            "alpha": 0.31, "r": 0.21, "sketch": 77, "scaling": "rows", "hidden": [9], "dropout": 0.11,
            "weight_decay": 0.03, "learning_rate": 0.04, "batch": 33, "epochs": 7, "patience": 3, "k": 2,
            "homophily": 0.4, "decoding": "paper", "method": "push"
        });
        for dataset in ["cora", "pubmed", "mine.csv"] {
            let LdpGe { protection, embedding, labels, learner, .. } =
                system(dataset, given.clone());
            assert_eq!((embedding.alpha, embedding.exponent, embedding.sketch), (0.31, 0.21, 77));
            assert_eq!(embedding.method, Spreading::Push);
            assert_eq!((learner.hidden, learner.batch, learner.epochs), (vec![9], 33, 7));
            assert_eq!((learner.dropout, learner.weight_decay), (0.11, 0.03));
            assert_eq!((learner.learning_rate, learner.patience), (0.04, 3));
            assert_eq!((labels.homophily, protection.features.settings.k), (0.4, Some(2)));
            assert_eq!(protection.features.decoding, Decoding::Paper);
        }
    }

    /// A k that was found for HDS on a dataset says nothing about other data or another mechanism.
    #[test]
    fn the_published_k_is_for_hds_on_that_dataset() {
        let k = |dataset, fields| system(dataset, fields).protection.features.settings.k;
        assert_eq!(k("cora", json!({})), Some(Preset::nodes("cora").k));
        assert_eq!(k("cora/linqs", json!({})), Some(Preset::nodes("cora").k));
        assert_eq!(k("mine.csv", json!({})), None);
        assert_eq!(k("cora", json!({"mechanism": "laplace"})), None);
        assert_eq!(k("cora", json!({"mechanism": "laplace", "k": 5})), Some(5));
    }

    /// Settings of a search count as published for its own mechanism and task alone.
    #[test]
    fn what_a_search_found_replaces_the_preset() {
        let folder = tempfile::tempdir().unwrap();
        let settings = Preset { k: 9, ..Preset::nodes("cora") };
        let tuned = |mechanism: &str| {
            let mechanism = mechanism.to_owned();
            let found = BestSettings { task: Task::Nodes, mechanism, settings: settings.clone() };
            found.write(folder.path()).unwrap()
        };
        let with = |fields| system("mine.csv", fields).protection.features;
        let path = tuned("hds");
        assert_eq!(with(json!({"settings": path})).settings.k, Some(9));
        let links = request(json!({"settings": path, "task": "links"})).unwrap();
        let told = links.resolve(&facts("mine.csv")).unwrap_err().to_string();
        assert!(told.contains("the task nodes, not for links"), "{told}");
        let features = with(json!({"settings": tuned("laplace")}));
        assert_eq!((features.mechanism.as_str(), features.settings.k), ("laplace", None));
    }

    #[test]
    fn parts_without_a_price_cost_what_features_do_or_share_one_budget() {
        let plain = system("cora", json!({})).protection;
        assert_eq!((plain.label_epsilon, plain.edges.epsilon), (2.0, 2.0));
        let all = json!(["features", "labels", "edges"]);
        let given = json!({"private": all, "label_epsilon": 3.0, "edge_epsilon": 4.0});
        let given = system("cora", given).protection;
        assert_eq!((given.label_epsilon, given.edges.epsilon), (3.0, 4.0));
        let one = system("cora", json!({"private": all, "one_budget": true}));
        let (labels, edges) = (one.protection.label_epsilon, one.protection.edges.epsilon);
        assert!((labels + edges - 2.0).abs() < 1e-9 && labels > 0.0, "{labels} + {edges}");
        assert_eq!(one.ways, [ClassifierKind::Propagation]);
    }

    /// Another paper's setting brings its randomizer, unless one is named.
    #[test]
    fn a_protocol_brings_its_randomizer() {
        let mechanism = |fields| system("cora", fields).protection.features.mechanism;
        let lpgnn = json!({"protocol": "lpgnn", "label_epsilon": 1.0});
        assert_eq!(mechanism(lpgnn), Protocol::Lpgnn.mechanism().unwrap());
        let both = json!({"protocol": "lpgnn", "label_epsilon": 1.0, "mechanism": "laplace"});
        assert_eq!(mechanism(both), "laplace");
        assert_eq!(mechanism(json!({})), HDS);
    }

    /// Lists are sent and merged as is usual for their mechanism, unless something else is given.
    #[test]
    fn lists_are_merged_as_their_mechanism_wants() {
        let lists = |mechanism: ListRandomizer, merge: Option<Merge>| {
            let fields = json!({
                "private": ["features", "edges"], "edge_epsilon": 2.0, "edge_mechanism": mechanism, "merge": merge
            });
            system("cora", fields).protection.edges
        };
        for mechanism in [ListRandomizer::Rr, ListRandomizer::Dprr] {
            let chosen = lists(mechanism, None);
            assert_eq!((chosen.mechanism, chosen.merge), (mechanism, mechanism.usual_merge()));
            assert_eq!(lists(mechanism, Some(Merge::Or)).merge, Merge::Or);
        }
    }

    /// What the command line refused in its parsers is refused here.
    #[test]
    fn mistakes_are_refused_before_any_data() {
        let cases = [
            (json!({"volunteers": 1.0}), "volunteers: found 1"),
            (json!({"volunteers": 0.3, "k": 2}), "k: where some volunteer"),
            (json!({"volunteers": 0.3, "task": "links"}), "classes"),
            (json!({"homophily": 1.0}), "homophily: found 1"),
            (json!({"label_radii": [0.5, 1.0]}), "label-radii: found 1"),
            (json!({"protocol": "lpgnn", "private": ["edges"]}), "private: a paper's protocol"),
            (json!({"private": ["features", "labels"]}), "label-epsilon is missing"),
            (json!({"merge": "and"}), "edge-epsilon is missing"),
            (json!({"mechanism": "hdss"}), "hds"),
            (json!({"ways": ["labels"], "label_radii": []}), "ways: labels spreads labels"),
            (json!({"stepz": 3}), "stepz"),
        ];
        for (fields, part) in cases {
            let told = request(fields.clone()).unwrap_err().to_string();
            assert!(told.contains(part), "{fields}: {told}");
        }
        let names = names::<LdpGeRequest>();
        for name in
            ["epsilon", "label_epsilon", "r", "label_radii", "learning_rate", "k", "settings"]
        {
            assert!(names.contains(&name.to_owned()), "{name}: {names:?}");
        }
    }
}
