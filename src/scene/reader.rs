//! A typed reader of TOML tables: every complaint names the whole key (`materials[0].poisson`), its
//! line, what was found and what is allowed.

use super::names::{Named, alternatives, nearest, number_text, quoted};
use super::source::Source;
use super::validate::{LARGEST, SMALLEST};
use crate::error::{Error, Result};
use glam::DVec3;
use std::ops::Range;
use toml_edit::{Array, Document, Item, TableLike, Value};

/// A table and where it stands in the text.
type Spanned<'a> = (&'a dyn TableLike, Option<Range<usize>>);

/// One table of the file.
pub(super) struct Section<'a> {
    source: &'a Source,
    table: &'a dyn TableLike,
    path: String,
}

impl<'a> Section<'a> {
    /// The whole file.
    pub(super) fn root(source: &'a Source, document: &'a Document<&str>) -> Self {
        Self::open(source, document.as_table(), String::new(), None)
    }

    fn open(
        source: &'a Source,
        table: &'a dyn TableLike,
        path: String,
        span: Option<Range<usize>>,
    ) -> Self {
        source.remember(path.clone(), span);
        let section = Self {
            source,
            table,
            path,
        };
        for (name, item) in table.iter() {
            let span = table.key(name).and_then(|key| key.span());
            source.remember(section.key(name), span.or_else(|| item.span()));
        }
        section
    }

    pub(super) fn source(&self) -> &'a Source {
        self.source
    }

    /// Its own path, e.g. `particles[0]`.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The full path of one of its keys. Names that only quotes make possible are shown in quotes.
    pub(super) fn key(&self, name: &str) -> String {
        const LONGEST: usize = 60;
        let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let plain = !name.is_empty() && name.len() <= LONGEST && name.chars().all(bare);
        let name = if plain { name.to_owned() } else { quoted(name) };
        if self.path.is_empty() {
            name
        } else {
            format!("{}.{name}", self.path)
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.table.contains_key(name)
    }

    /// Complains about the first key that is not among those allowed.
    pub(super) fn allow(&self, allowed: &[&str]) -> Result<()> {
        for (name, _) in self.table.iter() {
            if !allowed.contains(&name) {
                let meant = match nearest(name, allowed) {
                    Some(name) => format!("did you mean {name}? All keys here: "),
                    None => "the keys ".to_owned(),
                };
                return Err(self.error(
                    name,
                    format!("unknown key {}", quoted(name)),
                    meant + &allowed.join(", "),
                ));
            }
        }
        Ok(())
    }

    pub(super) fn error(
        &self,
        name: &str,
        found: impl Into<String>,
        allowed: impl Into<String>,
    ) -> Error {
        self.source.error(self.key(name), found, allowed)
    }

    fn wrong_type(&self, name: &str, item: &Item, allowed: &str) -> Error {
        self.error(name, describe(item), allowed)
    }

    fn missing(&self, name: &str, allowed: &str) -> Error {
        self.error(name, "nothing: the key is missing", allowed)
    }

    pub(super) fn number(&self, name: &str, unit: &str) -> Result<Option<f64>> {
        let allowed = format!("a number{}", in_unit(unit));
        let Some(item) = self.table.get(name) else {
            return Ok(None);
        };
        let number = item.as_value().and_then(as_number);
        let number = number.ok_or_else(|| self.wrong_type(name, item, &allowed))?;
        if number.abs() <= LARGEST {
            Ok(Some(number))
        } else {
            Err(self.error(name, describe(item), finite(&allowed)))
        }
    }

    pub(super) fn need_number(&self, name: &str, unit: &str) -> Result<f64> {
        self.number(name, unit)?
            .ok_or_else(|| self.missing(name, &format!("a number{}", in_unit(unit))))
    }

    /// A number greater than zero.
    pub(super) fn positive(&self, name: &str, unit: &str) -> Result<Option<f64>> {
        match self.number(name, unit)? {
            Some(number) if number < SMALLEST => Err(self.error(
                name,
                number_text(number),
                format!("a number greater than 0{}", in_unit(unit)),
            )),
            number => Ok(number),
        }
    }

    pub(super) fn need_positive(&self, name: &str, unit: &str) -> Result<f64> {
        self.positive(name, unit)?
            .ok_or_else(|| self.missing(name, &format!("a number greater than 0{}", in_unit(unit))))
    }

    pub(super) fn boolean(&self, name: &str) -> Result<Option<bool>> {
        self.table
            .get(name)
            .map(|item| {
                item.as_bool()
                    .ok_or_else(|| self.wrong_type(name, item, "true or false"))
            })
            .transpose()
    }

    /// A whole number that is not negative.
    pub(super) fn whole(&self, name: &str) -> Result<Option<u64>> {
        self.table
            .get(name)
            .map(|item| {
                item.as_integer()
                    .and_then(|number| u64::try_from(number).ok())
                    .ok_or_else(|| self.wrong_type(name, item, "a whole number, 0 or more"))
            })
            .transpose()
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&'a str>> {
        self.table
            .get(name)
            .map(|item| {
                item.as_str()
                    .ok_or_else(|| self.wrong_type(name, item, "a text in quotes"))
            })
            .transpose()
    }

    pub(super) fn need_text(&self, name: &str, what: &str) -> Result<&'a str> {
        self.text(name)?.ok_or_else(|| self.missing(name, what))
    }

    pub(super) fn choice<T: Named>(&self, name: &str) -> Result<Option<T>> {
        let allowed = || alternatives("", T::NAMES);
        let Some(item) = self.table.get(name) else {
            return Ok(None);
        };
        let text = item
            .as_str()
            .ok_or_else(|| self.wrong_type(name, item, &allowed()))?;
        T::from_name(text)
            .map(Some)
            .map_err(|unknown| self.error(name, quoted(text), alternatives(text, unknown.allowed)))
    }

    /// One of a few words that must be there, such as `kind`.
    pub(super) fn need_word(&self, name: &str, words: &[&'static str]) -> Result<&'static str> {
        let text = self.need_text(name, &alternatives("", words))?;
        words
            .iter()
            .find(|word| **word == text)
            .copied()
            .ok_or_else(|| self.error(name, quoted(text), alternatives(text, words)))
    }

    pub(super) fn vector(&self, name: &str, unit: &str) -> Result<Option<DVec3>> {
        let what = format!("three numbers [x, y, z]{}", in_unit(unit));
        let numbers = self.numbers(name, &what)?;
        let Some(numbers) = numbers else {
            return Ok(None);
        };
        match numbers[..] {
            [x, y, z] => Ok(Some(DVec3::new(x, y, z))),
            _ => Err(self.error(name, format!("{} numbers", numbers.len()), what)),
        }
    }

    pub(super) fn need_vector(&self, name: &str, unit: &str) -> Result<DVec3> {
        self.vector(name, unit)?
            .ok_or_else(|| self.missing(name, &format!("three numbers [x, y, z]{}", in_unit(unit))))
    }

    /// A direction of any length but zero, normalised.
    pub(super) fn need_direction(&self, name: &str) -> Result<DVec3> {
        let vector = self.need_vector(name, "")?;
        super::walls::normalised(vector).ok_or_else(|| {
            self.error(
                name,
                "a vector of length 0",
                "a direction [x, y, z], of any length but 0",
            )
        })
    }

    pub(super) fn numbers(&self, name: &str, what: &str) -> Result<Option<Vec<f64>>> {
        self.elements(name, what, |value| {
            as_number(value).filter(|number| number.abs() <= LARGEST)
        })
    }

    pub(super) fn wholes(&self, name: &str, what: &str) -> Result<Option<Vec<u64>>> {
        self.elements(name, what, |value| {
            value
                .as_integer()
                .and_then(|number| u64::try_from(number).ok())
        })
    }

    pub(super) fn texts(&self, name: &str, what: &str) -> Result<Option<Vec<&'a str>>> {
        self.elements(name, what, Value::as_str)
    }

    /// An array, each element read by `read`.
    fn elements<T>(
        &self,
        name: &str,
        what: &str,
        read: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<Option<Vec<T>>> {
        let Some(item) = self.table.get(name) else {
            return Ok(None);
        };
        let array = item
            .as_array()
            .ok_or_else(|| self.wrong_type(name, item, what))?;
        let elements = array.iter().enumerate().map(|(i, value)| {
            read(value).ok_or_else(|| {
                let element = format!("{}[{i}]", self.key(name));
                self.source.remember(element.clone(), value.span());
                self.source
                    .error(element, describe_value(value), finite(what))
            })
        });
        elements.collect::<Result<Vec<T>>>().map(Some)
    }

    /// A set of words out of a fixed list, such as `["x", "y"]`, as flags in the order of the list.
    pub(super) fn flags<const N: usize>(
        &self,
        name: &str,
        words: &[&str; N],
    ) -> Result<Option<[bool; N]>> {
        let what = format!("a list of some of {}", alternatives("", words));
        let Some(texts) = self.texts(name, &what)? else {
            return Ok(None);
        };
        let mut flags = [false; N];
        for text in texts {
            match words.iter().position(|word| *word == text) {
                Some(i) if flags[i] => {
                    return Err(self.error(name, format!("{} twice", quoted(text)), what));
                }
                Some(i) => flags[i] = true,
                None => return Err(self.error(name, quoted(text), what)),
            }
        }
        Ok(Some(flags))
    }

    /// A table inside this one.
    pub(super) fn section(&self, name: &str) -> Result<Option<Section<'a>>> {
        let Some(item) = self.table.get(name) else {
            return Ok(None);
        };
        let table = item
            .as_table_like()
            .ok_or_else(|| self.wrong_type(name, item, "a table"))?;
        let span = item.span().filter(|span| !span.is_empty());
        Ok(Some(Self::open(self.source, table, self.key(name), span)))
    }

    /// An array of tables: `[[name]]` or `name = [{…}, …]`; empty where there is none.
    pub(super) fn sections(&self, name: &str) -> Result<Vec<Section<'a>>> {
        let open = |(i, (table, span)): (usize, Spanned<'a>)| {
            Self::open(self.source, table, format!("{}[{i}]", self.key(name)), span)
        };
        match self.table.get(name) {
            None => Ok(Vec::new()),
            Some(Item::ArrayOfTables(tables)) => Ok(tables
                .iter()
                .map(|table| (table as &dyn TableLike, table.span()))
                .enumerate()
                .map(open)
                .collect()),
            Some(Item::Value(Value::Array(array))) => self
                .inline_tables(name, array)?
                .into_iter()
                .enumerate()
                .map(|entry| Ok(open(entry)))
                .collect(),
            Some(item) => Err(self.wrong_type(name, item, &format!("tables [[{name}]]"))),
        }
    }

    fn inline_tables(&self, name: &str, array: &'a Array) -> Result<Vec<Spanned<'a>>> {
        array
            .iter()
            .enumerate()
            .map(|(i, value)| match value {
                Value::InlineTable(table) => Ok((table as &dyn TableLike, table.span())),
                other => {
                    let element = format!("{}[{i}]", self.key(name));
                    self.source.remember(element.clone(), other.span());
                    Err(self.source.error(
                        element,
                        describe_value(other),
                        "a table { key = value, … }",
                    ))
                }
            })
            .collect()
    }
}

fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number.value() as f64),
        Value::Float(number) => Some(*number.value()),
        _ => None,
    }
}

fn in_unit(unit: &str) -> String {
    if unit.is_empty() {
        String::new()
    } else {
        format!(" in {unit}")
    }
}

fn finite(allowed: &str) -> String {
    format!("{allowed}, finite (up to {LARGEST:e})")
}

/// A value as the reader of an error recognises it.
fn describe(item: &Item) -> String {
    match item {
        Item::Value(value) => describe_value(value),
        Item::Table(_) => "a table".to_owned(),
        Item::ArrayOfTables(_) => "an array of tables".to_owned(),
        Item::None => "nothing".to_owned(),
    }
}

fn describe_value(value: &Value) -> String {
    match value {
        Value::String(text) => format!("the text {}", quoted(text.value())),
        Value::Integer(number) => number.value().to_string(),
        Value::Float(number) => number_text(*number.value()),
        Value::Boolean(flag) => flag.value().to_string(),
        Value::Datetime(time) => format!("the date or time {}", time.value()),
        Value::Array(array) => format!("an array of length {}", array.len()),
        Value::InlineTable(_) => "a table".to_owned(),
    }
}
