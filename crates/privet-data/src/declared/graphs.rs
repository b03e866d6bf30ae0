//! Many small graphs in the same two tables: every person belongs to one of them. [`Schema::read_graphs`] takes the
//! people and connections apart again.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::people::People;
use super::read::Everybody;
use super::rows::{Wanted, open};
use super::schema::{EdgeTable, GraphTable, PeopleTable, Schema};
use crate::formats::Limits;
use crate::{
    Direction, GraphBuilder, GraphSet, Id, IdInterner, Labels, NodeId, NodeIds, Result,
    SourceLocation,
};

/// How many rows are read at a time.
const BATCH: usize = 4096;

impl Schema {
    /// The graphs that the table of graphs lists, in the order of their ids, each with its people in the order of
    /// theirs. A graph without people is empty. Records of people who are `ignored` are as if they were not there.
    ///
    /// # Errors
    /// If none are declared, a file cannot be read or is not as declared, somebody is in a graph that is not listed, or
    /// two people are connected who are not in the same graph.
    pub fn read_graphs(
        &self,
        base: impl AsRef<Path>,
        limits: &Limits,
        ignored: impl Fn(&str) -> bool,
    ) -> Result<GraphSet> {
        self.check()?;
        let base = base.as_ref();
        let Some(table) = &self.graphs else {
            let place = SourceLocation::file(self.people.file.clone());
            return Err(place.malformed("no table of graphs", "[graphs] in the declaration"));
        };
        let (ids, labels) = listed(table, base, limits)?;
        let index = ids.index();
        let known = |id: Id<'_>| index.node(id);
        let mut members = Members::without(&ignored);
        members.read(&self.people, &table.member, base, limits, known)?;
        let graphs = members.connected(ids.len(), &self.edges, base, limits)?;
        let set = GraphSet::new("graphs", graphs).with_ids(ids)?;
        match labels {
            Some(labels) => set.with_labels(labels),
            None => Ok(set),
        }
    }

    /// Graphs that no table lists: those that people say they are in.
    ///
    /// # Errors
    /// If a file cannot be read or is not as declared, or two people are connected who are not in the same graph.
    pub fn read_new_graphs(
        people: &PeopleTable,
        member: &str,
        edges: &[EdgeTable],
        limits: &Limits,
    ) -> Result<GraphSet> {
        let base = Path::new("");
        let mut found = IdInterner::default();
        let mut members = Members::without(&|_| false);
        members.read(people, member, base, limits, |id| Some(found.intern_id(id)))?;
        let (ids, new) = found.finish_sorted()?;
        members.graph.iter_mut().for_each(|graph| *graph = new[*graph as usize]);
        let graphs = members.connected(ids.len(), edges, base, limits)?;
        GraphSet::new("graphs", graphs).with_ids(ids)
    }
}

/// The ids of a table of graphs, and their classes.
fn listed(table: &GraphTable, base: &Path, limits: &Limits) -> Result<(NodeIds, Option<Labels>)> {
    let declared = table.as_people();
    let rows = People::new(&declared)?;
    let batches = rows.open(&base.join(&table.file), BATCH, limits, false)?;
    let sorted = Everybody::read(batches, limits)?.sorted(&rows)?;
    Ok((sorted.ids, sorted.labels))
}

/// Who is in which graph.
struct Members<'a> {
    people: IdInterner,
    /// The graph of everybody, in the order in which the interner met them; [`NOWHERE`] for people who are ignored.
    graph: Vec<NodeId>,
    ignored: &'a dyn Fn(&str) -> bool,
}

const NOWHERE: NodeId = NodeId::MAX;

impl<'a> Members<'a> {
    fn without(ignored: &'a dyn Fn(&str) -> bool) -> Self {
        Self { people: IdInterner::default(), graph: Vec::new(), ignored }
    }

    fn read(
        &mut self,
        people: &PeopleTable,
        member: &str,
        base: &Path,
        limits: &Limits,
        mut graph: impl FnMut(Id<'_>) -> Option<NodeId>,
    ) -> Result<()> {
        let wanted = [Wanted::required(&people.id), Wanted::required(member)];
        let path = base.join(&people.file);
        let mut rows = open(&path, people.table.as_deref(), &wanted, limits)?;
        while rows.advance()? {
            let (id, of) = (rows.cell(0).as_text(), rows.cell(1));
            if id.is_empty() {
                return Err(rows.place(&people.id).malformed("an empty cell", "an id"));
            }
            if self.people.intern(&id) as usize != self.graph.len() {
                let place = rows.place(&people.id);
                return Err(
                    place.malformed("an id that stands in an earlier row", "everybody once")
                );
            }
            if (self.ignored)(&id) {
                self.graph.push(NOWHERE);
                continue;
            }
            let text = of.as_text();
            let found = (!text.is_empty()).then(|| graph(Id::parse(&text))).flatten();
            let Some(found) = found else {
                let expected = "a graph of the table of graphs";
                return Err(rows
                    .place(member)
                    .malformed(format!("the id {}", of.quoted()), expected));
            };
            self.graph.push(found);
        }
        Ok(())
    }

    /// The graphs, with the connections of these tables.
    fn connected(
        self,
        graphs: usize,
        edges: &[EdgeTable],
        base: &Path,
        limits: &Limits,
    ) -> Result<Vec<crate::Graph>> {
        let directed = edges.iter().any(|table| table.directed);
        let direction = if directed { Direction::Directed } else { Direction::Undirected };
        let mut pairs: Vec<Vec<[NodeId; 2]>> = vec![Vec::new(); graphs];
        for table in edges {
            for [source, target] in table.read_pairs(base, &self.people, limits)? {
                let [graph, other] = [source, target].map(|person| self.graph[person as usize]);
                if graph == NOWHERE || other == NOWHERE {
                    continue;
                }
                if graph != other {
                    let place = SourceLocation::file(table.file.clone());
                    let found = "a connection between people of different graphs";
                    return Err(place.malformed(found, "people of the same graph"));
                }
                pairs[graph as usize].push([source, target]);
                if directed && !table.directed {
                    pairs[graph as usize].push([target, source]);
                }
            }
        }
        let (_, rank) = self.people.finish_sorted()?;
        let mut members: Vec<Vec<NodeId>> = vec![Vec::new(); graphs];
        let everybody = self.graph.iter().zip(0..).filter(|(graph, _)| **graph != NOWHERE);
        everybody.for_each(|(&graph, person)| members[graph as usize].push(person));
        let build = |(mut members, mut pairs): (Vec<NodeId>, Vec<[NodeId; 2]>)| {
            // In the order of ids, so that the order of the rows does not matter.
            members.sort_unstable_by_key(|&person| rank[person as usize]);
            let place: FxHashMap<NodeId, NodeId> = members.iter().copied().zip(0..).collect();
            pairs.as_flattened_mut().iter_mut().for_each(|person| *person = place[person]);
            Ok(GraphBuilder::from_pairs(members.len(), direction, pairs).build()?.0)
        };
        members.into_iter().zip(pairs).map(build).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn schema() -> Schema {
        serde_json::from_str(
            r#"{
                "people": { "file": "users.csv", "id": "user" },
                "edges": [{ "file": "replies.csv", "source": "from", "target": "to" }],
                "graphs": {
                    "file": "threads.csv", "id": "thread", "label": "topic",
                    "classes": ["talk", "help"], "member": "thread"
                }
            }"#,
        )
        .unwrap()
    }

    fn write(base: &Path, users: &str, replies: &str) {
        std::fs::write(base.join("users.csv"), users).unwrap();
        std::fs::write(base.join("replies.csv"), replies).unwrap();
        std::fs::write(base.join("threads.csv"), "thread,topic\nt2,help\nt1,talk\nt3,\n").unwrap();
    }

    #[test]
    fn people_and_connections_are_taken_apart_in_the_order_of_ids() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        write(base, "user,thread\nc,t1\na,t1\nx,t2\nb,t1\n", "from,to\nc,a\nb,a\na,b\n");
        let set = schema().read_graphs(base, &Limits::default(), |_| false).unwrap();
        let ids: Vec<String> = set.ids().iter().map(|id| id.to_string()).collect();
        assert_eq!(ids, ["t1", "t2", "t3"]);
        let sizes: Vec<usize> = set.graphs().iter().map(crate::Graph::node_count).collect();
        assert_eq!(sizes, [3, 1, 0]);
        assert_eq!(set.graphs()[0].edges().collect::<Vec<_>>(), [(0, 1), (0, 2)]);
        let labels = set.labels().unwrap();
        assert_eq!([0, 1, 2].map(|graph| labels.class(graph)), [Some(0), Some(1), None]);
        let rest = schema().read_graphs(base, &Limits::default(), |id| id == "a").unwrap();
        assert_eq!((rest.graphs()[0].node_count(), rest.graphs()[0].edge_count()), (2, 0));
        // Next month's threads: nobody lists them.
        let people = PeopleTable::new(base.join("users.csv").to_str().unwrap(), "user");
        let edges = EdgeTable::new(base.join("replies.csv").to_str().unwrap(), "from", "to");
        let new = Schema::read_new_graphs(&people, "thread", &[edges], &Limits::default()).unwrap();
        assert_eq!(new.len(), 2);
        assert_eq!(new.graphs()[0], set.graphs()[0]);
    }

    #[test]
    fn what_is_not_as_declared_is_said_and_no_id_is_shown() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        for (users, replies, told) in [
            ("user,thread\na,t1\nb,t9\n", "from,to\n", "users.csv, line 3, field thread"),
            ("user,thread\na,t1\na,t1\n", "from,to\n", "everybody once"),
            ("user,thread\na,t1\nb,t2\n", "from,to\na,b\n", "different graphs"),
            ("user,thread\na,\n", "from,to\n", "a graph of the table of graphs"),
            ("user\na\n", "from,to\n", "thread"),
        ] {
            write(base, users, replies);
            let read = schema().read_graphs(base, &Limits::default(), |_| false);
            let error = read.unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
            assert!(!error.contains("t9"), "{error}");
        }
    }
}
