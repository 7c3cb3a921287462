//! State tables and counters that a person opens or pastes.

use crate::explorer::{self, COMPARED};
use e2e::{Look, Page, id, root, with_page};
use std::fs;
use std::path::PathBuf;

/// A sysfs dump of two CPUs with tables of their own, after so many rounds.
fn dump(rounds: u64) -> String {
    let mut text = String::new();
    for cpu in 0..2_u64 {
        let states = [
            ("WFI", 1, 1),
            ("core-off", 120 + cpu, 700),
            ("cluster-off", 900, 4_000),
        ];
        for (n, (name, latency, residency)) in states.iter().enumerate() {
            let at = format!("/sys/devices/system/cpu/cpu{cpu}/cpuidle/state{n}");
            let usage = rounds * (n as u64 + 1);
            text += &format!(
                "{at}/above:{}\n{at}/below:{}\n{at}/disable:0\n{at}/latency:{latency}\n{at}/name:{name}\n\
                 {at}/residency:{residency}\n{at}/time:{}\n{at}/usage:{usage}\n",
                usage / 10 * (n as u64),
                usage / 5,
                usage * 1_000
            );
        }
    }
    text
}

fn made(name: &str, text: &str) -> PathBuf {
    let folder = root().join("target/e2e/files");
    fs::create_dir_all(&folder).expect("a folder below target/");
    let file = folder.join(name);
    fs::write(&file, text).expect("a file below target/");
    file
}

/// Pastes a text where no field has the focus.
async fn paste(page: &Page, text: &str) {
    page.eval(&format!(
        "const data = new DataTransfer(); data.setData('text/plain', {text:?}); \
         document.body.dispatchEvent(new ClipboardEvent('paste', {{ clipboardData: data, bubbles: true, cancelable: true }}))"
    ))
    .await;
}

#[test]
fn a_pasted_sysfs_dump_is_the_machine_and_the_question_stays() {
    with_page(Look::DESK, |page| async move {
        explorer::open(&page, COMPARED).await;
        paste(&page, &dump(100)).await;
        let note = page
            .wait_text(&id("reading-note"), "what was read", |text| {
                text.contains("This table is the machine now")
            })
            .await;
        assert!(note.contains("2 CPUs, 3 states"), "{note}");
        page.wait_true(
            "location.hash.includes('mt=table~20of~20pasted~20text;WFI,1us,1us;core-off,120us,700us;')",
        )
        .await;
        explorer::answered(&page).await;
        let fragment = page.fragment().await;
        assert!(fragment.contains("w=") && fragment.contains("b="), "{fragment}");
        page.click(&id("note-states")).await;
        let editor = page
            .wait_text(&id("state-editor"), "the machine's source", |text| {
                text.contains("table of pasted text")
            })
            .await;
        assert!(editor.contains("core-off"), "{editor}");
        page.screenshot("pasted-machine").await;
        // The link alone brings the machine back.
        explorer::open(&page, &fragment).await;
        let machine = page.text(&id("machine")).await;
        assert!(machine.contains("table of"), "{machine}");
        page.wait_true("location.hash.includes('core-off,120us,700us')")
            .await;
    });
}

#[test]
fn two_dumps_are_counters_and_two_more_are_compared_with_them() {
    with_page(Look::DESK, |page| async move {
        page.open("").await;
        page.find(&id("record-commands")).await;
        for (n, rounds) in [1_000, 5_000, 5_000, 8_000].into_iter().enumerate() {
            page.upload(made(&format!("dump{n}.txt"), &dump(rounds))).await;
            let name = format!("dump{n}.txt");
            page.wait_text(&id("reading-note"), "the dump", |text| text.contains(&name))
                .await;
        }
        page.click(&id("note-counters")).await;
        let a = page.text(&id("counters-A")).await;
        assert!(
            a.contains("TOTAL") && a.contains("core-off") && a.contains("24\u{202f}000"),
            "{a}"
        );
        let b = page.text(&id("counters-B")).await;
        assert!(b.contains("18\u{202f}000"), "{b}");
        let changes = page.text(&id("counters-changes")).await;
        assert!(changes.contains("\u{2212}25.0"), "{changes}");
        page.screenshot("counters").await;
        page.click(&id("counters-each")).await;
        page.wait_text(&id("counters-A"), "each CPU", |text| text.contains("1 core-off"))
            .await;
        page.click(&id("copy-counters")).await;
        page.wait_text(&id("toast"), "copied", |text| text.contains("copied"))
            .await;
        let copied = page.clipboard().await;
        assert!(
            copied.is_ascii() && copied.lines().all(|line| line.len() <= 72),
            "{copied}"
        );
        assert!(
            copied.contains("A: dump0.txt to dump1.txt, two dumps, 2 CPUs"),
            "{copied}"
        );
        page.click(&id("forget-3")).await;
        page.wait_gone(&id("counters-changes")).await;
        page.click(&id("close-counters")).await;
        page.find(&id("drop-zone")).await;
    });
}

#[test]
fn a_table_that_is_none_says_what_was_expected_and_a_phone_shows_the_counters() {
    with_page(Look::PHONE, |page| async move {
        page.open("").await;
        page.find(&id("record-commands")).await;
        paste(
            &page,
            "CPUidle driver: none\nCPUidle governor: menu\nanalyzing CPU 0:\n\nCPU 0: No idle states\n",
        )
        .await;
        page.wait_text(&id("message"), "why not", |text| {
            text.contains("Cpupower found no idle states at line 5 (driver: none)")
        })
        .await;
        paste(&page, &format!("{}{}", dump(10), dump(40))).await;
        page.click(&id("note-counters")).await;
        page.wait_text(&id("counters-A"), "the counters", |text| text.contains("TOTAL"))
            .await;
        page.screenshot("counters-phone").await;
    });
}
