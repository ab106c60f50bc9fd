//! One file kept on this device between visits, for whoever asks for it: among the private files that browsers
//! give a site (OPFS), or in IndexedDB where those can't be written from a page, as in Safari before 26.
//!
//! Called by name and not through `web-sys`: each of its types would cost the page more than this whole file.

use js_sys::{Array, Function, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

/// Name of the file, and of its record.
const NAME: &str = "session.sameruler";
/// Name of the database, and of its only store.
const DATABASE: &str = "sameruler";

/// Where the file lies.
enum Place {
    /// A folder of private files.
    Files(JsValue),
    /// An open database.
    Database(JsValue),
}

/// Asks the browser not to remove what is kept when room is short. It may ask the reader, or refuse.
pub async fn persist() {
    if let Ok(storage) = storage() {
        // Refused, the file is kept all the same, as long as there is room.
        let _ = call(&storage, "persist", &[]).await;
    }
}

/// Keeps these bytes in place of those before.
///
/// # Errors
/// Why not, as the end of a sentence.
pub async fn keep(bytes: &[u8]) -> Result<(), String> {
    let bytes = Uint8Array::from(bytes);
    let kept = async {
        match place().await? {
            Place::Files(folder) => {
                let create = Object::new();
                Reflect::set(&create, &"create".into(), &true.into())?;
                let file = call(&folder, "getFileHandle", &[&NAME.into(), &create]).await?;
                // What is written takes the old file's place when it is closed, and not before.
                let writer = call(&file, "createWritable", &[]).await?;
                call(&writer, "write", &[&bytes]).await?;
                call(&writer, "close", &[]).await
            }
            Place::Database(database) => {
                let store = store(&database, "readwrite").await?;
                let put = call(&store, "put", &[&bytes, &NAME.into()]).await?;
                settled(&put).await
            }
        }
    };
    kept.await.map(|_| ()).map_err(|error| words(&error))
}

/// What is kept, in memory; none where nothing is.
///
/// # Errors
/// Why it can't be read, as the end of a sentence: then it may be there all the same.
pub async fn kept() -> Result<Option<Blob>, String> {
    let found = async {
        match place().await? {
            Place::Files(folder) => {
                let file = call(&folder, "getFileHandle", &[&NAME.into()]).await?;
                let file = call(&file, "getFile", &[]).await?;
                // The file itself can't be read any more once another takes its place.
                call(&file, "arrayBuffer", &[]).await
            }
            Place::Database(database) => {
                let store = store(&database, "readonly").await?;
                let get = call(&store, "get", &[&NAME.into()]).await?;
                settled(&get).await
            }
        }
    };
    let missing = |error: &JsValue| {
        let name = Reflect::get(error, &"name".into()).ok().and_then(|name| name.as_string());
        name.as_deref() == Some("NotFoundError")
    };
    let bytes = match found.await {
        Ok(bytes) if bytes.is_object() => bytes,
        Ok(_) => return Ok(None),
        Err(error) if missing(&error) => return Ok(None),
        Err(error) => return Err(words(&error)),
    };
    let blob = Blob::new_with_buffer_source_sequence(&Array::of1(&bytes));
    blob.map(Some).map_err(|error| words(&error))
}

/// Removes what is kept, wherever it lies.
pub async fn wipe() {
    let gone = async {
        let folder = call(&storage()?, "getDirectory", &[]).await?;
        call(&folder, "removeEntry", &[&NAME.into()]).await
    };
    // What is not there can't be removed, and need not be.
    let _ = gone.await;
    let gone = async {
        let request = call(&databases()?, "deleteDatabase", &[&DATABASE.into()]).await?;
        settled(&request).await
    };
    let _ = gone.await;
}

async fn place() -> Result<Place, JsValue> {
    let handle = Reflect::get(&js_sys::global(), &"FileSystemFileHandle".into())?;
    let writes = Reflect::get(&handle, &"prototype".into())
        .and_then(|of| Reflect::has(&of, &"createWritable".into()));
    if writes == Ok(true)
        && let Ok(folder) = call(&storage()?, "getDirectory", &[]).await
    {
        return Ok(Place::Files(folder));
    }
    let request = call(&databases()?, "open", &[&DATABASE.into()]).await?;
    let of = request.clone();
    let create = Closure::once_into_js(move || {
        let database = Reflect::get(&of, &"result".into())?;
        let create: Function = Reflect::get(&database, &"createObjectStore".into())?.dyn_into()?;
        create.call1(&database, &DATABASE.into())
    });
    Reflect::set(&request, &"onupgradeneeded".into(), &create)?;
    settled(&request).await.map(Place::Database)
}

/// The store of a database. The database is closed once what is asked of the store is done.
async fn store(database: &JsValue, mode: &str) -> Result<JsValue, JsValue> {
    let change = call(database, "transaction", &[&DATABASE.into(), &mode.into()]).await?;
    let store = call(&change, "objectStore", &[&DATABASE.into()]).await?;
    call(database, "close", &[]).await?;
    Ok(store)
}

/// The result of a request to a database.
async fn settled(request: &JsValue) -> Result<JsValue, JsValue> {
    let done = Promise::new(&mut |resolve, reject| {
        for (event, then) in [("onsuccess", &resolve), ("onerror", &reject)] {
            // A request takes any function.
            let _ = Reflect::set(request, &event.into(), then);
        }
    });
    match JsFuture::from(done).await {
        Ok(_) => Reflect::get(request, &"result".into()),
        Err(_) => Err(Reflect::get(request, &"error".into())?),
    }
}

fn storage() -> Result<JsValue, JsValue> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into())?;
    Reflect::get(&navigator, &"storage".into())
}

fn databases() -> Result<JsValue, JsValue> {
    Reflect::get(&js_sys::global(), &"indexedDB".into())
}

/// Calls a method, and waits where it gives a promise.
async fn call(of: &JsValue, method: &str, with: &[&JsValue]) -> Result<JsValue, JsValue> {
    let method: Function = Reflect::get(of, &method.into())?.dyn_into()?;
    let answer = Reflect::apply(&method, of, &with.iter().copied().collect::<Array>())?;
    JsFuture::from(Promise::resolve(&answer)).await
}

/// Why nothing could be kept.
fn words(error: &JsValue) -> String {
    let name = Reflect::get(error, &"name".into()).ok().and_then(|name| name.as_string());
    match name.as_deref() {
        Some("QuotaExceededError") => "the browser gives this page no more room".to_owned(),
        Some("SecurityError" | "NotAllowedError" | "InvalidStateError" | "UnknownError") | None => {
            "the browser lets this page keep nothing here, as in a private window".to_owned()
        }
        Some(_) => super::worker_link::words(error),
    }
}
