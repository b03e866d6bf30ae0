//! [`Plan`]: how much noise every step adds, and what all of them cost together. It follows from settings and the
//! number of people, so it is made once, before any private data is read.

use rand::seq::SliceRandom;

use super::{Dpar, Mode, Person, SAMPLE, gradient_descent, hidden_layer, paper};
use crate::Method;
use crate::graph::SimRng;
use crate::privacy::accountant::{self, AnalyticGaussian, Pld, ZeroConcentrated, calibrate};
use crate::privacy::aggregation;
use crate::privacy::appr::{self, RowNoise};
use crate::privacy::event::{BatchSampling, Event};
use crate::privacy::sgd::{self, RowShare};
use crate::privacy::{Epsilon, Loss};
use crate::{Error, Result};

/// The noise of a run, and its cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Number of people.
    pub people: usize,
    /// How many of them are trained on: fewer in `paper` mode.
    pub rows: usize,
    /// How many rows of PageRank are released.
    pub sources: usize,
    /// Their noise, if any are released.
    pub structure: Option<RowNoise>,
    /// The noise of sums over neighbours, if any are released.
    pub sums: Option<aggregation::SumSettings>,
    /// How training samples, clips and adds noise.
    pub training: sgd::SgdSettings,
    /// All that is released in a run, for accountants.
    pub event: Event,
    /// What everything costs, by theorem.
    pub loss: Loss,
    /// What must be true of the people for that price; whether it is cannot be asked.
    pub condition: Option<String>,
    /// What the paper says it costs.
    pub printed: Option<PrintedCost>,
}

/// What the paper says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrintedCost {
    /// In all, after its amplification.
    pub total: Epsilon,
    /// Of the structure, before.
    pub structure: Epsilon,
    /// Of training, before.
    pub training: Epsilon,
}

impl Plan {
    /// The limit of the ledger. In `paper` mode there is none: what it costs is what it costs.
    pub(crate) fn limit(&self) -> Loss {
        match self.printed {
            None => self.loss,
            Some(_) => Loss { epsilon: Epsilon::INFINITE, delta: self.loss.delta },
        }
    }

    /// In `paper` mode, the people that are trained on; the sample counts as known, so it amplifies nothing.
    pub(super) fn sampled(&self, seed: u64) -> Option<Vec<u32>> {
        (self.rows < self.people).then(|| self.trained_on(seed))
    }

    /// The ids of those who are trained on in a run with this seed: they are public.
    pub fn trained_on(&self, seed: u64) -> Vec<u32> {
        let mut ids: Vec<u32> = (0..self.people as u32).collect();
        if self.rows < self.people {
            ids.shuffle(&mut SimRng::stream(seed, SAMPLE));
            ids.truncate(self.rows);
        }
        ids
    }
}

impl Dpar {
    /// How much noise so many people need.
    ///
    /// # Errors
    /// If a setting makes no sense, or no noise reaches the target.
    pub fn plan<U: Person>(&self, people: usize) -> Result<Plan> {
        if people < 2 {
            return Err(Error::invalid("people", people, "at least 2"));
        }
        self.settings.check()?;
        match (self.method, self.mode) {
            (method, _) if method.in_the_clear() => Ok(self.no_noise(people)),
            (_, Mode::Paper) => paper::plan::<U>(self, people),
            (_, Mode::Rigorous) => self.rigorous::<U>(people),
        }
    }

    fn rigorous<U: Person>(&self, people: usize) -> Result<Plan> {
        let Loss { epsilon, delta } = self.target;
        let structure = &self.settings.structure;
        let of_structure = Loss { epsilon: Epsilon::new(structure.share * epsilon.get())?, delta };
        let sources = structure.sources.min(people);
        let mut plan = Plan { sources, ..self.no_noise(people) };
        let before = match self.method {
            Method::Em0 | Method::Em1 | Method::Gm => {
                let noise = self.row_noise(of_structure, sources)?;
                plan.structure = Some(noise);
                plan.training.share = RowShare::UpTo(structure.cap + 1);
                self.appr(sources, noise).event()?
            }
            Method::Gap => {
                plan.condition = Some(sgd::few_neighbours(structure.max_degree as u32));
                let noise_multiplier = self.noise_of_sums(of_structure)?;
                plan.sums = Some(self.sums(noise_multiplier));
                self.of_sums(noise_multiplier)
            }
            Method::ClassSums => {
                // One step on all people, whose parts have norm 1.
                (plan.training.steps, plan.training.clip_norm) = (1, 1.0);
                plan.training.batch = BatchSampling::Poisson { rate: 1.0 };
                Event::Nothing
            }
            Method::NeighbourVotes => {
                // One release, whose noise is relative to what a person moves: no step, no batch.
                let event = |noise_multiplier| Event::Gaussian { noise_multiplier };
                let noise = calibrate::noise_multiplier(&AnalyticGaussian, self.target, event)?;
                (plan.training.steps, plan.training.noise_multiplier) = (0, noise);
                (plan.event, plan.loss) = (event(noise), self.target);
                return Ok(plan);
            }
            Method::GradientDescent => {
                plan.training.steps = gradient_descent::STEPS;
                plan.training.batch = BatchSampling::Poisson { rate: 1.0 };
                Event::Nothing
            }
            Method::HiddenLayer => {
                plan.training = hidden_layer::training(plan.training);
                Event::Nothing
            }
            Method::Sage => {
                plan.condition = Some(sgd::few_neighbours(structure.max_degree as u32));
                plan.training.share = RowShare::Neighbours(structure.max_degree as u32);
                Event::Nothing
            }
            _ => Event::Nothing,
        };
        // Sums are released as training is, by a single step.
        let trainings = self.method.trainings().max(1);
        let settings = plan.training;
        let all = |noise_multiplier: f64| -> Result<Event> {
            let step =
                sgd::SgdSettings { noise_multiplier, ..settings }.step_event(U::NEIGHBOURS)?;
            Ok(before.clone().then(step.repeated(settings.steps * trainings)))
        };
        all(1.0)?;
        let family = |noise_multiplier| all(noise_multiplier).unwrap_or(Event::NonPrivate);
        plan.training.noise_multiplier =
            calibrate::noise_multiplier(&Pld::default(), self.target, family)?;
        plan.event = all(plan.training.noise_multiplier)?;
        plan.loss = self.target;
        Ok(plan)
    }

    /// How much noise connections need where they alone are secret: features and classes are read as they are, so
    /// sums over neighbours are all that costs anything.
    ///
    /// # Errors
    /// If the method is not aggregation perturbation, or no noise reaches the target.
    pub fn plan_edges(&self, people: usize) -> Result<Plan> {
        if (self.method, self.mode) != (Method::Gap, Mode::Rigorous) {
            let expected = "gap, rigorous: the only one that protects connections alone";
            return Err(Error::invalid("method for edge-dp", self.method.name(), expected));
        }
        let noise_multiplier = self.noise_of_sums(self.target)?;
        let sums = aggregation::SumSettings {
            // Nothing is cut: one edge moves sums by the same whatever they are.
            clip: people.max(1) as f64,
            ..self.sums(noise_multiplier)
        };
        let (event, loss) = (self.of_sums(noise_multiplier), self.target);
        Ok(Plan { sums: Some(sums), event, loss, ..self.no_noise(people) })
    }

    /// The noise with which sums over neighbours alone keep a target.
    fn noise_of_sums(&self, target: Loss) -> Result<f64> {
        let event = |noise_multiplier| self.of_sums(noise_multiplier);
        Ok(calibrate::noise_multiplier(&AnalyticGaussian, target, event)?)
    }

    fn of_sums(&self, noise_multiplier: f64) -> Event {
        Event::Gaussian { noise_multiplier }.repeated(self.settings.structure.hops as u64)
    }

    /// The noise with which the structure alone keeps a target.
    fn row_noise(&self, target: Loss, sources: usize) -> Result<RowNoise> {
        let event = |noise| self.appr(sources, noise).event().unwrap_or(Event::NonPrivate);
        let keep = self.settings.structure.keep as f64;
        let picks = |scale: f64| RowNoise::Gumbel { epsilon: 1.0 / scale };
        // The values of a row cost as much as its names: K (ε₂/K)²/2 = K ε²/2 for ε₂ = K ε.
        let both =
            |scale: f64| RowNoise::GumbelAndValues { epsilon: 1.0 / scale, values: keep / scale };
        let gaussian = |deviation| RowNoise::Gaussian { deviation };
        Ok(match self.method {
            Method::Em1 => both(calibrate::noise_multiplier(&ZeroConcentrated, target, |scale| {
                event(both(scale))
            })?),
            Method::Gm => gaussian(calibrate::noise_multiplier(&AnalyticGaussian, target, |d| {
                event(gaussian(d))
            })?),
            _ => picks(calibrate::noise_multiplier(&ZeroConcentrated, target, |scale| {
                event(picks(scale))
            })?),
        })
    }

    pub(crate) fn appr(&self, sources: usize, noise: RowNoise) -> appr::RowSettings {
        let structure = &self.settings.structure;
        appr::RowSettings {
            // Which sources they are has no part in the cost.
            sources: (0..sources as u32).collect(),
            universe: u32::MAX,
            keep: structure.keep,
            clip: structure.clip,
            noise,
        }
    }

    fn sums(&self, noise_multiplier: f64) -> aggregation::SumSettings {
        let structure = &self.settings.structure;
        aggregation::SumSettings {
            hops: structure.hops,
            max_degree: structure.max_degree,
            clip: (structure.max_degree as f64).sqrt(),
            noise_multiplier,
        }
    }

    pub(super) fn no_noise(&self, people: usize) -> Plan {
        let model = &self.settings.model;
        let rate = model.rate(people);
        Plan {
            people,
            rows: people,
            sources: self.settings.structure.sources.min(people),
            structure: None,
            sums: None,
            training: sgd::SgdSettings {
                steps: model.steps,
                rows: people as u64,
                batch: BatchSampling::Poisson { rate },
                share: RowShare::Alone,
                clip_norm: model.clip_norm,
                noise_multiplier: 1.0,
            },
            event: Event::NonPrivate,
            loss: Loss { epsilon: Epsilon::INFINITE, delta: self.target.delta },
            condition: None,
            printed: None,
        }
    }
}

/// What an event costs at a delta.
pub(super) fn cost(event: &Event, target: Loss) -> Result<Loss> {
    let epsilon = accountant::best(event, target.delta)?.value;
    Ok(Loss { epsilon, delta: target.delta })
}
