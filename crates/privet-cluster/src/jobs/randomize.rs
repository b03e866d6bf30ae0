//! A release drawn by several processes, each for its own people: reports of features, labels or lists, and noisy sums over
//! neighbours.
//!
//! Worker 0 has the ledger. It charges the whole release, which is on the disk before it hands out anything; then every
//! process gets a permission to draw for its own nodes ([`ReleaseShare`]), once. No key travels: in a simulation the noise of a
//! person follows from the seed and their place, so any partition draws the same; otherwise every process asks its own
//! operating system. If a process dies after the charge, the charge stays, and nothing that was drawn is kept: there is
//! no checkpoint of a release, because a share must never be used twice.
//!
//! What travels is public (permissions, how much there is of what) or a part of the release. Whose nodes are whose follows
//! from their number alone: a partition by work would tell of degrees.

use privet::graph::{Dataset, DenseMatrix};
use privet::privacy::aggregation::{AttributedGraph, NoisySums};
use privet::privacy::fault::{self, Fault};
use privet::privacy::ledger::{Drawing, ReleaseShare};
use privet::privacy::unit::Edge;
use privet::privacy::{Ledger, Local, Mechanism, Release, Secret};
use privet::protect::Several;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::data_check::check_data;
use crate::engine::Exchange;
use crate::gather::{all_rows, stretches};
use crate::partition::Partition;
use crate::{Error, Result};

/// This process among those that draw a release.
#[derive(Debug)]
pub struct Together<'a, W> {
    exchange: &'a mut Exchange,
    partition: Partition,
    watch: W,
}

impl<'a, W: FnMut(usize)> Together<'a, W> {
    /// Begins: fails unless all processes have read the same data. `watch` is told how often this process has drawn or
    /// waited for others so far.
    ///
    /// # Errors
    /// If a worker has read something else.
    pub fn begin(dataset: &Dataset, exchange: &'a mut Exchange, watch: W) -> Result<Self> {
        let columns = dataset.features().map(|features| features.columns());
        let classes = dataset.labels().map(|labels| labels.class_count());
        let nodes = dataset.graph().node_count();
        let shown = encoded(&(nodes, columns, classes))?;
        let all = exchange.all_hear(&shown)?;
        if let Some(other) = all.iter().position(|other| *other != shown) {
            let expected = "as many people, columns and classes as this one";
            return Err(Error::invalid("data of worker", other, expected));
        }
        check_data(dataset, exchange)?;
        let partition = match fault::on(Fault::PartitionByDegree) {
            true => Partition::of(dataset.graph().offsets(), exchange.count())?,
            false => Partition::even(nodes, exchange.count())?,
        };
        Ok(Self { exchange, partition, watch })
    }

    /// How many people's reports this process draws.
    pub fn people(&self) -> usize {
        self.partition.range(self.exchange.index()).len()
    }

    /// Hands out the shares of a release that was charged; the own one.
    fn hand_out<M: Mechanism>(&mut self, drawing: Drawing<'_, M>) -> Result<ReleaseShare> {
        let ends = (0..self.partition.parts()).map(|part| self.partition.range(part).end);
        let shares = drawing.shares(&ends.collect::<Vec<_>>())?;
        for (to, share) in shares.iter().enumerate() {
            self.exchange.send(to, &encoded(share)?)?;
        }
        self.share()
    }

    /// The permission to draw for this process's people.
    fn share(&mut self) -> Result<ReleaseShare> {
        let arrived = self.exchange.arrive().into_iter().next();
        let arrived = arrived.ok_or_else(|| Error::message(0, "no permission to draw came"))?;
        let share: ReleaseShare = decoded(arrived.from, &arrived.into_bytes())?;
        let own = self.partition.range(self.exchange.index());
        if share.people() != own {
            let reason = format!("a permission for {:?}, expected {own:?}", share.people());
            return Err(Error::message(0, reason));
        }
        (self.watch)(1);
        Ok(share)
    }

    /// The others' reports, in the order of the people; of those that follow, each sends its own when its turn comes.
    fn collect<R: Serialize + DeserializeOwned>(
        &mut self,
        own: &[R],
        mut take: impl FnMut(Vec<R>) -> privet::Result<()>,
    ) -> Result<()> {
        let (me, start) =
            (self.exchange.index(), self.partition.range(self.exchange.index()).start);
        let mut turns = 1;
        for part in 1..self.partition.parts() {
            for people in stretches(self.partition.range(part)) {
                if part == me {
                    let reports = &own[people.start - start..people.end - start];
                    self.exchange.send(0, &encoded(reports)?)?;
                }
                for arrived in self.exchange.arrive() {
                    let from = arrived.from;
                    let reports: Vec<R> = decoded(from, &arrived.into_bytes())?;
                    if (from, reports.len()) != (part, people.len()) {
                        return Err(Error::message(from, "reports of other people"));
                    }
                    take(reports)?;
                }
                turns += 1;
                (self.watch)(turns);
            }
        }
        Ok(())
    }

    /// Draws the sums of own nodes hop by hop; `keep` is shown those of all nodes.
    fn sums(
        &mut self,
        share: ReleaseShare,
        (people, mechanism): (&Secret<AttributedGraph>, &NoisySums<Edge>),
        mut keep: impl FnMut(&DenseMatrix),
    ) -> Result<Release<(), Edge>> {
        let Self { exchange, partition, watch } = self;
        let mut hop = 1;
        share.draw_sums(mechanism, people, |own| {
            let all = all_rows(own.get(), partition, exchange)?;
            keep(&all);
            hop += 1;
            watch(hop);
            Ok(all)
        })
    }
}

impl<W: FnMut(usize)> Several for Together<'_, W> {
    fn count(&self) -> usize {
        self.exchange.count()
    }

    fn lead<M>(
        &mut self,
        ledger: &mut Ledger<M::Unit>,
        people: &Secret<M::Population>,
        mechanism: &M,
        step: usize,
        mut take: impl FnMut(Vec<M::Report>) -> privet::Result<()>,
    ) -> privet::Result<Release<(), M::Unit>>
    where
        M: Local,
        M::Report: Serialize + DeserializeOwned,
    {
        let mut in_steps = |reports: Vec<M::Report>| {
            let mut left = reports.into_iter();
            while left.len() > 0 {
                take(left.by_ref().take(step.max(1)).collect())?;
            }
            Ok(())
        };
        let drawing = ledger.begin_each(&people.shape(), people.user_count(), mechanism)?;
        let share = self.hand_out(drawing).map_err(elsewhere)?;
        let own = share.people();
        let mut reports = Vec::new();
        let drawn = share.draw(mechanism, people, own)?.map(|own| reports = own);
        in_steps(reports)?;
        self.collect(&[], in_steps).map_err(elsewhere)?;
        Ok(drawn)
    }

    fn follow<M>(&mut self, people: &Secret<M::Population>, mechanism: &M) -> privet::Result<()>
    where
        M: Local,
        M::Report: Serialize + DeserializeOwned,
    {
        let share = self.share().map_err(elsewhere)?;
        let own = share.people();
        let reports = share.draw(mechanism, people, own)?;
        self.collect(reports.get(), |_| Ok(())).map_err(elsewhere)
    }

    fn lead_sums(
        &mut self,
        ledger: &mut Ledger<Edge>,
        people: &Secret<AttributedGraph>,
        mechanism: &NoisySums<Edge>,
    ) -> privet::Result<Release<Vec<DenseMatrix>, Edge>> {
        let drawing = ledger.begin_sums(people, mechanism)?;
        let share = self.hand_out(drawing).map_err(elsewhere)?;
        let mut hops = Vec::new();
        let drawn = self.sums(share, (people, mechanism), |hop| hops.push(hop.clone()));
        Ok(drawn.map_err(elsewhere)?.map(|()| hops))
    }

    fn follow_sums(
        &mut self,
        people: &Secret<AttributedGraph>,
        mechanism: &NoisySums<Edge>,
    ) -> privet::Result<()> {
        let share = self.share().map_err(elsewhere)?;
        self.sums(share, (people, mechanism), |_| ()).map(drop).map_err(elsewhere)
    }
}

/// A failure between processes, as the library tells it; its own come back as they were.
fn elsewhere(error: Error) -> privet::Error {
    match error {
        Error::Privet(error) => error,
        Error::Privacy(error) => error.into(),
        Error::Graph(error) => error.into(),
        error => privet::Error::Elsewhere(error.to_string()),
    }
}

fn encoded(value: &(impl Serialize + ?Sized)) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| Error::Broken(error.to_string()))
}

fn decoded<T: DeserializeOwned>(from: usize, bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| Error::message(from, error.to_string()))
}
