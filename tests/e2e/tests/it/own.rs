//! What a governor printed about itself, read from a file and from a pasted text.

use std::fs;

use e2e::{Look, id, root, with_page};

use super::explorer;

/// Our own teo's numbers in a part of a sample; the native tests make it.
const PRINTED: &str = "tests/data/own-numbers.txt";

/// The text with the first number of the last dump higher by 64, and that number as it was.
fn altered(text: &str) -> (String, u32) {
    let (head, tail) = text.rsplit_once(" hits=").expect("a dump");
    let (number, rest) = tail.split_once(',').expect("more than one state");
    let number = number.parse::<u32>().expect("a number");
    (format!("{head} hits={},{rest}", number + 64), number)
}

#[test]
fn a_governors_own_numbers_are_compared_and_the_first_difference_is_named() {
    with_page(Look::DESK, |page| async move {
        let text = fs::read_to_string(root().join(PRINTED)).expect("the file is committed");
        page.open("m=arm64-vm&a=teo-6.6").await;
        let line = page.text(&id("own-numbers-line")).await;
        assert!(line.contains("trace_printk"), "{line}");
        page.screenshot("own-numbers-start").await;

        page.upload(PRINTED).await;
        explorer::answered(&page).await;
        let said = page.text(&id("own-numbers")).await;
        let equal = |said: &str| {
            let counts = said.strip_prefix("own numbers ").expect("counts");
            let counts = counts.strip_suffix(" equal").expect("counts");
            let (part, all) = counts.split_once(" of ").expect("counts");
            (
                part.parse::<u32>().expect("a number"),
                all.parse::<u32>().expect("a number"),
            )
        };
        let (part, all) = equal(&said);
        assert!(part == all && all > 100, "{said}");

        let (other, ours) = altered(&text);
        page.open("m=arm64-vm&a=teo-6.6&b=teo-7.1").await;
        page.find(&id("own-numbers-line")).await;
        page.eval(&format!(
            "const data = new DataTransfer(); data.setData('text/plain', {other:?}); \
             document.body.dispatchEvent(new ClipboardEvent('paste', {{ clipboardData: data, bubbles: true, cancelable: true }}))"
        ))
        .await;
        let said = page.text(&id("own-numbers")).await;
        assert_eq!(equal(&said), (all - 1, all), "{said}");
        page.screenshot("own-numbers-status").await;

        page.click(&id("import-report")).await;
        let report = page.text(&id("report-own-numbers")).await;
        let counts = format!(
            "governor's own numbers (trace_printk): {} of {all} values equal with teo-6.6, first difference cpu1",
            all - 1
        );
        let named = format!("hits of WFI {}, ours {ours}", ours + 64);
        for part in [counts.as_str(), named.as_str(), "intercepts"] {
            assert!(report.contains(part), "{part}: {report}");
        }
        let events = page.text(&id("report-events")).await;
        assert!(events.contains("teo_select"), "{events}");
        page.screenshot("own-numbers-report").await;

        // Another family remembers nothing of the kind.
        page.open("m=arm64-vm&a=menu-6.6").await;
        page.upload(PRINTED).await;
        explorer::answered(&page).await;
        let said = page.text(&id("own-numbers")).await;
        assert_eq!(said, "own numbers not compared");
        let why = page.attribute(&id("own-numbers"), "title").await;
        let why = why.unwrap_or_default();
        assert!(why.contains("choose the teo that ran as A"), "{why}");
    });
}
