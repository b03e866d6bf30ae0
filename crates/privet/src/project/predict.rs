//! [`Project::predict`]: classes of new people who know people of the project.
//!
//! A model alone says what a new person's record tells. Whom they know tells more, and is a fact about the protected people at
//! the other end: each of these has one noisy vote, shared among the new people they know
//! ([`neighbour_votes`](crate::privacy::neighbour_votes)). A batch of answers is therefore a release of its own, charged
//! to the project before noise is drawn; another batch costs again.
//!
//! | what the table of connections holds | becomes |
//! |---|---|
//! | a new person and a person of the project | part of that protected person's vote |
//! | two new people | read as it is: new people are not protected |
//! | two people of the project, or other people | left out |
//!
//! Who is new is stated by the table of new people. It must hold no person whom the project protects; volunteers
//! (`project.volunteers`) may, and have no vote then.

use std::collections::HashSet;
use std::path::Path;

use super::Project;
use super::config::Protects;
use super::guard::InputGuard;
use crate::cardfile::issue;
use crate::data::declared::{EdgeTable, Strangers};
use crate::data::formats::read_list;
use crate::doubts::PromisedPrice;
use crate::dpar::people::to_unit;
use crate::dpar::votes::{KnownVotes, posterior};
use crate::dpar::{Dpar, Mode, Settings};
use crate::graph::{Dataset, Direction, Features, GraphBuilder, IdInterner, NodeId};
use crate::model::newcomers::NewcomerAnswers;
use crate::model::question::{AnswersFile, Question, whole};
use crate::model::{Classifier, Model, Newcomers};
use crate::privacy::fault::{self, Fault};
use crate::privacy::neighbour_votes::{NeighbourVotes, Voters};
use crate::privacy::unit::Node;
use crate::privacy::{Ledger, Loss, Secret};
use crate::{Error, LedgerStore, Method, Protected, Result, Run};

/// New people, and the votes of people of the project who know them.
struct Acquaintance {
    new: Newcomers,
    voters: Secret<Voters>,
}

impl Project {
    /// The project that pays for answers of a model: the one that it lies in, or that the current folder is in.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn that_pays(model: &Path) -> Result<Self> {
        let found = match Self::find(model)? {
            Some(project) => Some(project),
            None => Self::find(Path::new("."))?,
        };
        found.ok_or_else(|| {
            let found = format!("no privet.toml at or above {}", model.display());
            Error::invalid("project", found, "a folder that `privet init` made")
        })
    }

    /// Classes of new people in a file, for so much of the budget: votes of people of the project who know them, together
    /// with what the model and the new people's own connections say. The card lies beside the file.
    ///
    /// # Errors
    /// If the project does not protect whole people, the model is for other records, the table of new people holds
    /// protected ones, a table is not as declared, or the budget refuses.
    pub fn predict(
        &self,
        model: &Model,
        question: &Question,
        path: &Path,
        target: Loss,
        guard: &InputGuard,
        run: &Run<'_>,
    ) -> Result<AnswersFile> {
        let Model::People(model) = model else {
            let found = format!("one by {}", model.method());
            return Err(Error::invalid("model", found, "one that classifies people"));
        };
        let answers = self.classify_newcomers(model, question, target, guard, run)?;
        let (answers, card) = answers.into_parts();
        let (card, _) = issue(path, card, None, || {
            whole(path, |out| model.write_answers(&answers, question.shown, out))?;
            Ok::<_, Error>(vec![path.display().to_string()])
        })?;
        Ok(AnswersFile { count: answers.ids.len() as u64, of: "people", card: Some(card) })
    }

    /// The answers before they are written.
    fn classify_newcomers(
        &self,
        model: &Classifier,
        question: &Question,
        target: Loss,
        guard: &InputGuard,
        run: &Run<'_>,
    ) -> Result<Protected<NewcomerAnswers>> {
        self.check_answerable(model, question)?;
        let dataset = self.dataset()?;
        let people = dataset.graph().node_count();
        let classes = dataset.labels().map(|labels| labels.class_names());
        if classes != Some(&*model.about.classes) {
            return Err(Error::invalid("classes of the model", "others", "those of this project"));
        }
        PromisedPrice::once(people, target).settle(&[])?;
        let Acquaintance { new, voters } = self.acquainted(&dataset, model, question, guard)?;
        Error::unless(!new.ids.is_empty(), "new people", 0, "some in their table")?;
        let classes = model.about.classes.len();
        let system =
            Dpar::new(Method::NeighbourVotes, Mode::Rigorous, target, Settings::rigorous())?;
        let plan = system.plan::<Node>(people)?;
        let votes =
            NeighbourVotes::<Node>::new(new.ids.len(), classes, plan.training.noise_multiplier)?;
        let deviation = votes.deviation();
        let ledgers = match fault::on(Fault::NewcomersAnsweredForNothing) {
            true => &LedgerStore::Memory,
            false => &run.ledgers,
        };
        let mut ledger: Ledger<Node> = ledgers.open("nodes", plan.limit(), run.noise, (0, 1))?;
        let counts = run.ledgers.accounted(|| Ok(ledger.release(&voters, &votes)?))?;
        let answers = counts.try_map(|counts| {
            let said = model.probabilities(new.rows.clone(), None)?;
            let mut rows = new.rows;
            (0..rows.rows()).for_each(|row| to_unit(rows.row_mut(row)));
            let features = Features::dense(rows);
            let probabilities = posterior(KnownVotes {
                votes: &counts,
                deviation,
                graph: &new.graph,
                features: Some(&features),
                model: Some(&said),
            })?;
            Ok::<_, Error>(NewcomerAnswers { ids: new.ids, probabilities })
        })?;
        let name = &self.config().project.name;
        let subject = format!("{name}: classes of new people, by votes of people who know them");
        let answers = self.signed_off(answers.protected(&ledger)?.about(subject))?;
        Ok(answers
            .with_unprotected("the new people who are classified: their records, and whom of each other they know")
            .with_unprotected("the ids of the people who vote, and how many they are"))
    }

    fn check_answerable(&self, model: &Classifier, question: &Question) -> Result<()> {
        let config = self.config();
        if !config.protects(Protects::People) {
            let message = "refused: votes of people protect whole people, and this project does not protect them".into();
            let remedy = "leave the price out: answers of the model alone cost nothing";
            return Err(Error::Refused { message, remedy });
        }
        if model.about.preprocessing != config.preprocessing() {
            let found = "one for other columns or classes";
            return Err(Error::invalid("model", found, "one that was trained in this project"));
        }
        if question.released.is_some() || question.pairs.is_some() {
            let message =
                "refused: at a price, answers are made from votes of the project's people".into();
            let remedy = "name new people and their connections, and nothing that was released";
            return Err(Error::Refused { message, remedy });
        }
        let connected = question.edges.is_some();
        let expected = "a table of connections between new people and people of the project: what the price is for";
        Error::unless(connected, "edges", "none", expected)
    }

    /// Reads who is new and who of the project knows them.
    fn acquainted(
        &self,
        dataset: &Dataset,
        model: &Classifier,
        question: &Question,
        guard: &InputGuard,
    ) -> Result<Acquaintance> {
        let (Some(people), Some(edges)) = (&question.people, &question.edges) else {
            return Err(Error::invalid("people", "none", "a table of the people to predict for"));
        };
        let table = question.table.clone();
        let mut new =
            Newcomers::read(&model.about.preprocessing, people, table, None, None, guard)?;
        let mut known = IdInterner::default();
        new.ids.iter().for_each(|id| {
            known.intern(id);
        });
        let volunteers = self.volunteers()?;
        // Who of the project is at a place behind the new ones.
        let (mut voting, mut all) = (Vec::new(), new.ids.clone());
        for node in dataset.graph().nodes() {
            let id = dataset.ids().get(node);
            if known.node(id).is_some() {
                if volunteers.contains(&id.to_string()) {
                    continue;
                }
                let message = format!(
                    "{}: refused: an id in it is that of a person of the project",
                    people.display()
                );
                let remedy = "give new people ids of their own: connections name people by id";
                return Err(Error::Refused { message, remedy });
            }
            known.intern_id(id);
            voting.push(node);
            all.push(id.to_string());
        }
        let edges = EdgeTable { strangers: Strangers::LeaveOut, ..edges.clone() };
        let pairs = guard.read_charged_connections(self, &edges, &known, &all)?;
        let is_new = |node: NodeId| (node as usize) < new.ids.len();
        let mut recipients = vec![Vec::new(); voting.len()];
        for &[one, other] in &pairs {
            let (newcomer, voter) = match [is_new(one), is_new(other)] {
                [true, false] => (one, other),
                [false, true] => (other, one),
                _ => continue,
            };
            recipients[voter as usize - new.ids.len()].push(newcomer);
        }
        let open = pairs.iter().copied().filter(|pair| pair.iter().all(|&end| is_new(end)));
        let among = GraphBuilder::from_pairs(new.ids.len(), Direction::Undirected, open.collect());
        new.graph = among.build()?.0;
        let class = |&node: &NodeId| dataset.labels().and_then(|labels| labels.class(node));
        let classes = voting.iter().map(class).collect();
        Ok(Acquaintance { new, voters: Secret::new(Voters { classes, recipients }) })
    }

    fn volunteers(&self) -> Result<HashSet<String>> {
        let Some(file) = &self.config().project.volunteers else { return Ok(HashSet::new()) };
        Ok(read_list(&self.root().join(file))?.into_iter().collect())
    }
}
