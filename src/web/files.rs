//! Files as they come in: chosen, dropped with folders, pasted, fetched, or waiting since the first paint.

use super::{clock, download};
use js_sys::{Array, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    Blob, DataTransfer, File, FileList, FileSystemDirectoryEntry, FileSystemEntry,
    FileSystemFileEntry, Response,
};

/// A file with the folders under which it came.
#[derive(Debug, Clone)]
pub struct Named {
    /// `folder/file.json`.
    pub name: String,
    /// The file itself; reading it is the worker's business.
    pub blob: Blob,
}

/// Something that came in and may be a folder. Folders are walked later, outside the event.
#[derive(Debug, Clone)]
pub enum Incoming {
    /// A file.
    File(Named),
    /// A folder.
    Folder(FileSystemDirectoryEntry),
}

/// The files of an input element; a folder input gives each its path.
pub fn chosen(list: &FileList) -> Vec<Incoming> {
    (0..list.length()).filter_map(|i| list.get(i)).map(|file| Incoming::File(named(file))).collect()
}

/// What was dropped or pasted. To be called inside the event: afterwards the list is empty.
pub fn dropped(transfer: &DataTransfer) -> Vec<Incoming> {
    let items = transfer.items();
    (0..items.length())
        .filter_map(|i| items.get(i))
        .filter(|item| item.kind() == "file")
        .filter_map(|item| {
            let entry = item.webkit_get_as_entry().ok().flatten();
            if let Some(folder) = entry.filter(FileSystemEntry::is_directory) {
                return Some(Incoming::Folder(folder.unchecked_into()));
            }
            item.get_as_file().ok().flatten().map(|file| Incoming::File(named(file)))
        })
        .collect()
}

/// The text of a small file; none where it can't be read.
pub async fn text(blob: &Blob) -> Option<String> {
    JsFuture::from(blob.text()).await.ok()?.as_string()
}

/// Whether a drag carries files, as far as the browser says before the drop.
pub fn carries_files(transfer: &DataTransfer) -> bool {
    transfer.types().includes(&"Files".into(), 0)
}

/// A pasted text as a file named after the time.
pub fn pasted(text: &str) -> Option<Incoming> {
    let blob = download::blob(text, "text/plain").ok()?;
    Some(Incoming::File(Named { name: format!("Pasted {}", clock::time_of_day()), blob }))
}

/// What came in before the page could take it; see `public/early.js`. From now on that script only guards.
pub fn early() -> Vec<Incoming> {
    let Some(window) = web_sys::window() else { return Vec::new() };
    let key = JsValue::from("__sameruler_queue");
    let queue = Reflect::get(&window, &key).unwrap_or(JsValue::NULL);
    let _ = Reflect::set(&window, &key, &JsValue::NULL);
    let Ok(queue) = queue.dyn_into::<Array>() else { return Vec::new() };
    queue
        .iter()
        .filter_map(|item| match item.dyn_into::<File>() {
            Ok(file) => Some(Incoming::File(named(file))),
            Err(entry) => entry.is_object().then(|| Incoming::Folder(entry.unchecked_into())),
        })
        .collect()
}

/// What [`walk`] found.
#[derive(Debug, Default)]
pub struct Walked {
    /// The files, folders opened in the order of their names.
    pub files: Vec<Named>,
    /// Paths of files and folders that the browser could not open.
    pub unopened: Vec<String>,
}

/// All files, without those that a system hides: they are no results, and nobody means to drop them.
pub async fn walk(incoming: Vec<Incoming>) -> Walked {
    let mut walked = Walked::default();
    // A stack and not recursion: an async function can't call itself without a box.
    let mut todo: Vec<Incoming> = incoming.into_iter().rev().collect();
    while let Some(next) = todo.pop() {
        match next {
            Incoming::File(file) => {
                if !file.name.contains('/') || !hidden(&file.name) {
                    walked.files.push(file);
                }
            }
            Incoming::Folder(folder) => {
                let Ok(mut inside) = open(&folder).await else {
                    walked.unopened.push(path(&folder));
                    continue;
                };
                inside.sort_by_key(|entry| std::cmp::Reverse(entry.full_path()));
                for entry in inside {
                    if hidden(&entry.name()) {
                        continue;
                    }
                    if entry.is_directory() {
                        todo.push(Incoming::Folder(entry.unchecked_into()));
                    } else if let Some(blob) = file_of(entry.unchecked_ref()).await {
                        todo.push(Incoming::File(Named { name: path(&entry), blob }));
                    } else {
                        walked.unopened.push(path(&entry));
                    }
                }
            }
        }
    }
    walked
}

/// Whether a system hides a file of this path from its user.
fn hidden(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.'))
}

fn path(entry: &FileSystemEntry) -> String {
    entry.full_path().trim_start_matches('/').to_owned()
}

/// A file of this site.
///
/// # Errors
/// When it can't be had, with the reason.
pub async fn fetch(path: &str) -> Result<Blob, String> {
    let window = web_sys::window().ok_or("no window")?;
    let words = |e: JsValue| super::worker_link::words(&e);
    let response = JsFuture::from(window.fetch_with_str(path)).await.map_err(words)?;
    let response: Response = response.unchecked_into();
    if !response.ok() {
        return Err(format!("{path} answered {}", response.status()));
    }
    let blob = JsFuture::from(response.blob().map_err(words)?).await.map_err(words)?;
    Ok(blob.unchecked_into())
}

fn named(file: File) -> Named {
    let path = Reflect::get(&file, &"webkitRelativePath".into()).ok().and_then(|p| p.as_string());
    let name = path.filter(|path| !path.is_empty()).unwrap_or_else(|| file.name());
    Named { name, blob: file.unchecked_into() }
}

async fn open(folder: &FileSystemDirectoryEntry) -> Result<Vec<FileSystemEntry>, JsValue> {
    let reader = folder.create_reader();
    let mut entries = Vec::new();
    loop {
        // Browsers hand out about a hundred entries at a time; an empty list is the end.
        let batch = Promise::new(&mut |resolve, reject| {
            let _ = reader.read_entries_with_callback_and_callback(&resolve, &reject);
        });
        let batch: Array = JsFuture::from(batch).await?.unchecked_into();
        if batch.length() == 0 {
            return Ok(entries);
        }
        entries.extend(batch.iter().map(JsCast::unchecked_into::<FileSystemEntry>));
    }
}

async fn file_of(entry: &FileSystemFileEntry) -> Option<Blob> {
    let file = Promise::new(&mut |resolve, reject| {
        entry.file_with_callback_and_callback(&resolve, &reject);
    });
    JsFuture::from(file).await.ok().map(JsCast::unchecked_into)
}
