//! What only a browser can show: bytes in a `Blob`, the link to a worker, buffers that move and are not
//! copied. Run by `scripts/browser-unit.mjs`.
//!
//! The tests run in a worker, because only there a `Blob` can be read while the caller waits; a worker
//! may start workers as a page does.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

use js_sys::{Array, ArrayBuffer, Function, Promise, Reflect, Uint8Array};
use sameruler::engine::protocol::JobId;
use sameruler::engine::{ByteSource as _, Reply, Request, Said, import, wire};
use sameruler::model::{Run, RunId, Stat, pack};
use sameruler::ui::edits::{Decisions, Edits};
use sameruler::units::{bytes, significant};
use sameruler::web::blob_source::BlobSource;
use sameruler::web::worker_link::{Engine, Event, Parcel, WorkerLink};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{Blob, Url};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

const VLLM: &[u8] = include_bytes!("../public/samples/several-tokens-a-chunk/vllm.json");
const BUILD: &str = "b5";

/// The same core prints the same text natively (see the tests at the foot of `units.rs`).
#[wasm_bindgen_test]
fn numbers_print_as_they_do_natively() {
    assert_eq!(significant(29.612, 3), "29.6");
    assert_eq!(bytes(1_500_000), "1.50 MB");
}

#[wasm_bindgen_test]
fn a_blob_is_read_across_steps_and_back_again() {
    // Longer than two steps of 4 MiB; each place tells where it is.
    let long: Vec<u8> = (0..9_000_000_u32).map(|i| (i % 251) as u8).collect();
    let mut source = BlobSource::new(blob(&long)).unwrap();
    assert_eq!(source.len(), 9_000_000);

    let all = read_all(&mut source, 0);
    assert!(all == long, "every byte, in order");
    let step = 4 << 20;
    assert_eq!(read_all(&mut source, step - 3)[..6], long[step as usize - 3..step as usize + 3]);

    let mut rest = [0; 8];
    assert_eq!(source.read_at(8_999_998, &mut rest), Ok(2));
    assert_eq!(source.read_at(9_000_000, &mut rest), Ok(0));
    assert_eq!(source.read_at(1 << 40, &mut rest), Ok(0));
}

#[wasm_bindgen_test]
fn a_file_gives_the_same_run_from_a_blob_as_from_memory() {
    let mut source = BlobSource::new(blob(VLLM)).unwrap();
    let mut done = 0;
    let runs = import::import("vllm.json", &mut source, true, &mut |_, at, total, _| {
        assert!(at <= total);
        done = done.max(at);
    });
    assert_eq!(done, VLLM.len() as u64);
    assert_eq!(runs.whole().unwrap(), [sample()]);
}

#[wasm_bindgen_test]
async fn a_message_waits_until_the_worker_listens() {
    let deaf = worker(
        "let early = false;
         onmessage = () => { early = true; };
         setTimeout(() => {
           onmessage = ({ data }) => postMessage([early ? FAILED : ADOPTED]);
           postMessage([READY]);
         }, 100);",
    );
    let (link, events) = start(&deaf, BUILD);
    link.send(&Request::Adopt { job: JobId(7) }, Parcel::None);
    match next(&events).await {
        Event::Reply(Reply::Adopted { job, .. }, _) => assert_eq!(job, JobId(7)),
        other => panic!("sent too early: {other:?}"),
    }
}

#[wasm_bindgen_test]
async fn a_pack_moves_to_the_worker_and_back_whole() {
    let echo = worker(
        "onmessage = ({ data: [, ...buffers] }) => postMessage([ADOPTED, ...buffers], buffers);
         postMessage([READY]);",
    );
    let (link, events) = start(&echo, BUILD);
    let run = sample();
    let packed = buffer(&pack::encode(&run).unwrap());
    let size = packed.byte_length();
    link.send(&Request::Adopt { job: JobId(7) }, Parcel::Buffers(vec![packed.clone()]));

    let Event::Reply(_, back) = next(&events).await else { panic!("no reply") };
    assert!(size > 0);
    assert_eq!(packed.byte_length(), 0, "moved, not copied");
    let back: Vec<Run> =
        back.iter().map(|b| pack::decode(&Uint8Array::new(b).to_vec()).unwrap()).collect();
    assert_eq!(back, [run]);
}

#[wasm_bindgen_test]
async fn a_worker_of_another_build_is_not_spoken_to() {
    let other = worker("onmessage = () => postMessage([ADOPTED]); postMessage([READY]);");
    let (link, events) = start(&other, "b6");
    link.send(&Request::Adopt { job: JobId(7) }, Parcel::None);
    assert!(matches!(next(&events).await, Event::OtherBuild));
    sleep(100).await;
    assert!(events.borrow().is_empty(), "no answer: nothing was sent");
}

#[wasm_bindgen_test]
async fn the_end_of_a_worker_is_told_with_its_last_words() {
    let dying = worker(
        "onmessage = () => { postMessage([LAST_WORDS]); throw new Error('unreachable'); };
         postMessage([READY]);",
    );
    let (link, events) = start(&dying, BUILD);
    link.send(&Request::Adopt { job: JobId(7) }, Parcel::None);
    match next(&events).await {
        Event::Crashed(words) => assert_eq!(words, "a column is shorter than the others"),
        other => panic!("not noticed: {other:?}"),
    }
}

#[wasm_bindgen_test]
async fn dropping_the_link_ends_the_worker() {
    let busy = worker("postMessage([READY]); setInterval(() => postMessage([ADOPTED]), 5);");
    let (link, events) = start(&busy, BUILD);
    assert!(matches!(next(&events).await, Event::Reply(..)));
    drop(link);
    events.borrow_mut().clear();
    sleep(100).await;
    assert!(events.borrow().is_empty());
}

#[wasm_bindgen_test]
fn undo_keeps_runs_that_came_in_meanwhile() {
    let run = sample().id;
    let mut edits = Edits::starting(Decisions::default());
    for share in 1..=100 {
        let stat = Stat::Percentile(f64::from(share) / 2.0);
        assert!(edits.step("statistic", None, |d| d.context.stat = stat));
    }
    edits.amend(|d| d.context.runs.push(run.clone()));
    let undone = std::iter::from_fn(|| edits.undo()).count();
    assert_eq!(undone, 100);
    assert_eq!(edits.now.context.stat, Decisions::default().context.stat);
    assert_eq!(edits.now.context.runs, [run] as [RunId; 1]);
}

/// The first sample as the command would read it.
fn sample() -> Run {
    let mut source = VLLM;
    import::import("vllm.json", &mut source, true, &mut |_, _, _, _| {}).whole().unwrap().remove(0)
}

fn buffer(bytes: &[u8]) -> ArrayBuffer {
    Uint8Array::from(bytes).buffer()
}

fn blob(bytes: &[u8]) -> Blob {
    Blob::new_with_buffer_source_sequence(&Array::of1(&buffer(bytes))).unwrap()
}

fn read_all(source: &mut BlobSource, from: u64) -> Vec<u8> {
    let mut all = vec![0; (source.len() - from) as usize];
    let mut filled = 0;
    while filled < all.len() {
        let got = source.read_at(from + filled as u64, &mut all[filled..]).unwrap();
        assert!(got > 0, "ended early at {filled}");
        filled += got;
    }
    all
}

/// The address of a worker that runs `script`, which finds the messages it may post as constants.
fn worker(script: &str) -> String {
    let job = JobId(7);
    let said = |said: Said<Reply>| format!("Uint8Array.from({:?})", wire::write(&said));
    let failed = Reply::Failed { job, message: "a message came before Ready".into() };
    let source = format!(
        "const READY = {}, ADOPTED = {}, FAILED = {}, LAST_WORDS = {};\n{script}",
        said(Said::Ready { build: BUILD.into() }),
        said(Said::Reply(Reply::Adopted {
            job,
            added: Vec::new(),
            dumps: Vec::new(),
            duplicates: Vec::new(),
        })),
        said(Said::Reply(failed)),
        said(Said::Broke { words: "a column is shorter than the others".into() }),
    );
    let parts = Array::of1(&source.into());
    Url::create_object_url_with_blob(&Blob::new_with_str_sequence(&parts).unwrap()).unwrap()
}

type Events = Rc<RefCell<VecDeque<Event<Reply>>>>;

fn start(script: &str, build: &str) -> (WorkerLink<Engine>, Events) {
    let events = Events::default();
    let heard = events.clone();
    let link =
        WorkerLink::start(script, build.into(), move |event| heard.borrow_mut().push_back(event));
    (link.unwrap(), events)
}

/// The next event; none within five seconds is a failure.
async fn next(events: &Events) -> Event<Reply> {
    for _ in 0..500 {
        if let Some(event) = events.borrow_mut().pop_front() {
            return event;
        }
        sleep(10).await;
    }
    panic!("the worker said nothing");
}

async fn sleep(millis: i32) {
    let later = Promise::new(&mut |resolve, _| {
        let global = js_sys::global();
        let timer: Function = Reflect::get(&global, &"setTimeout".into()).unwrap().unchecked_into();
        timer.call2(&global, &resolve, &millis.into()).unwrap();
    });
    JsFuture::from(later).await.unwrap();
}
