//! [`Standing`]: `privet status` for people: a bar for every relation, a line for every charge; and a page of the same.

use std::io::{self, Write};

use privet::project::Status;
use privet::project::status::{Charged, Spending};
use serde::Serialize;

use crate::console::Answer;
use crate::style::{ACCENT, BAD, FAINT, NOTE, STRONG, counted, printable, real, scientific};

/// How a project stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Standing(pub Status);

/// How many letters a bar has.
const WIDTH: usize = 32;

impl Answer for Standing {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let status = &self.0;
        writeln!(
            out,
            "{STRONG}{}{STRONG:#}  {FAINT}{}{FAINT:#}",
            printable(&status.name),
            printable(&status.root.display().to_string())
        )?;
        if let Some(audience) = &status.audience {
            writeln!(out, "released to: {}", printable(audience))?;
        }
        for line in &status.relations {
            writeln!(out, "\n{STRONG}hides{STRONG:#} {}", line.hides.join(", and "))?;
            let (full, rest) = bar(line);
            let style = if line.left_epsilon > 0.0 { ACCENT } else { BAD };
            writeln!(
                out,
                "  {style}{full}{style:#}{FAINT}{rest}{FAINT:#} epsilon {} of {} spent, {} left  {FAINT}({}, delta {}){FAINT:#}",
                real(line.spent_epsilon),
                real(line.limit.epsilon.get()),
                real(line.left_epsilon),
                line.relation,
                scientific(line.limit.delta.get())
            )?;
            if let Some((relation, epsilon)) = line.also {
                writeln!(
                    out,
                    "  for a connection, which stands in two lists: epsilon {} ({relation})",
                    real(epsilon)
                )?;
            }
        }
        writeln!(out)?;
        if status.charges.is_empty() {
            writeln!(out, "nothing was released yet")?;
        }
        for charge in &status.charges {
            writeln!(out, "{}", told(charge))?;
            if charge.simulation {
                writeln!(out, "    {NOTE}SIMULATION{NOTE:#}: noise from a seed protects nobody")?;
            }
        }
        if status.removed > 0 {
            writeln!(
                out,
                "{} removed; what was released before stays released",
                counted(status.removed, "person was", "people were")
            )?;
        }
        match status.watched_from_outside {
            true => Ok(()),
            false => writeln!(
                out,
                "{NOTE}note:{NOTE:#} nothing outside of this folder counts its charges (set PRIVET_STATE_DIR or HOME), so an older \
                 copy of it would not be noticed"
            ),
        }
    }
}

fn bar(line: &Spending) -> (String, String) {
    let share = (line.spent_epsilon / line.limit.epsilon.get()).clamp(0.0, 1.0);
    // What was spent is never rounded down to nothing.
    let full = ((share * WIDTH as f64).ceil() as usize).min(WIDTH);
    ("█".repeat(full), "░".repeat(WIDTH - full))
}

fn told(charge: &Charged) -> String {
    let Charged { mechanism, entry, spent_epsilon, protects, release, .. } = charge;
    let spent = real(*spent_epsilon);
    let name = protects.name();
    match release {
        Some(past) => format!(
            "  {}  {mechanism} ({name} {entry}, epsilon {spent} by then)\n    {}\n    -> {}",
            past.when,
            printable(&past.command),
            printable(&past.to.display().to_string())
        ),
        None => format!(
            "  {mechanism} ({name} {entry}, epsilon {spent} by then)\n    charged, and nothing came of it: whoever made it was interrupted"
        ),
    }
}

/// The same as a page of its own.
pub fn page(status: &Status) -> String {
    let mut body = format!("<h1>{}</h1>\n", escaped(&status.name));
    for line in &status.relations {
        let share = 100.0 * (line.spent_epsilon / line.limit.epsilon.get()).clamp(0.0, 1.0);
        body += &format!(
            "<h2>Hides {}</h2>\n<div class=bar><div style=\"width:{share:.1}%\"></div></div>\n<p>epsilon {} of {} spent, {} left ({}, delta {})</p>\n",
            escaped(&line.hides.join(", and ")),
            real(line.spent_epsilon),
            real(line.limit.epsilon.get()),
            real(line.left_epsilon),
            line.relation,
            scientific(line.limit.delta.get())
        );
    }
    body += "<table>\n<tr><th>when</th><th>mechanism</th><th>epsilon by then</th><th>command</th><th>where it went</th></tr>\n";
    for charge in &status.charges {
        let (when, command, to) = match &charge.release {
            Some(past) => (past.when.clone(), past.command.clone(), past.to.display().to_string()),
            None => (String::new(), "charged, and nothing came of it".into(), String::new()),
        };
        body += &format!(
            "<tr><td>{}</td><td>{} ({} {})</td><td>{}</td><td><code>{}</code></td><td>{}</td></tr>\n",
            escaped(&when),
            escaped(&charge.mechanism),
            charge.protects.name(),
            charge.entry,
            real(charge.spent_epsilon),
            escaped(&command),
            escaped(&to)
        );
    }
    body += "</table>\n";
    format!(
        "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n<title>{}: what was spent</title>\n<style>\n\
         body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}\n\
         .bar {{ background: #e4e4e4; height: 1.2rem; border-radius: .3rem; overflow: hidden; }}\n\
         .bar div {{ background: #2f6f4f; height: 100%; }}\n\
         table {{ border-collapse: collapse; width: 100%; }} th, td {{ text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #ddd; }}\n\
         </style>\n{body}</html>\n",
        escaped(&status.name)
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
