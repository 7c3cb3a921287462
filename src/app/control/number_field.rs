//! A field for a value with a unit. It applies on Enter or when focus leaves; wrong text keeps
//! the focus, says why, and changes nothing (ui.md §7).

use web_sys::HtmlInputElement;
use yew::prelude::*;

/// What the field shows and does.
#[derive(Properties, PartialEq)]
pub struct NumberFieldProps {
    /// Its name for assistive technology.
    pub name: AttrValue,
    /// The value as text.
    pub value: AttrValue,
    /// Takes the text; `Err` says what was expected.
    pub ontext: Callback<AttrValue, Result<(), String>>,
    /// The value differs from the default: `was` is that default.
    #[prop_or_default]
    pub was: Option<AttrValue>,
    /// Shows what was wrong elsewhere, where there is no room beside the field; none when all is well.
    #[prop_or_default]
    pub onerror: Option<Callback<Option<AttrValue>>>,
    /// More classes.
    #[prop_or_default]
    pub class: Classes,
    /// Name for end-to-end tests.
    #[prop_or_default]
    pub testid: Option<AttrValue>,
}

/// The field.
#[component]
pub fn NumberField(props: &NumberFieldProps) -> Html {
    let typed = use_state_eq(|| None::<AttrValue>);
    let error = use_state_eq(|| None::<AttrValue>);
    let input = use_node_ref();
    {
        let onerror = props.onerror.clone();
        use_effect_with((*error).clone(), move |error| {
            if let Some(onerror) = onerror {
                onerror.emit(error.clone());
            }
        });
    }

    let commit = {
        let (typed, error, ontext, input) =
            (typed.clone(), error.clone(), props.ontext.clone(), input.clone());
        Callback::from(move |()| {
            let Some(text) = (*typed).clone() else { return };
            match ontext.emit(text) {
                Ok(()) => {
                    typed.set(None);
                    error.set(None);
                }
                Err(why) => {
                    error.set(Some(why.into()));
                    if let Some(input) = input.cast::<HtmlInputElement>() {
                        let _ = input.focus();
                    }
                }
            }
        })
    };
    let oninput = {
        let typed = typed.setter();
        Callback::from(move |event: InputEvent| {
            let text = event.target_unchecked_into::<HtmlInputElement>().value();
            typed.set(Some(text.into()));
        })
    };
    let onkeydown = {
        let (typed, error, commit) = (typed.setter(), error.setter(), commit.clone());
        Callback::from(move |event: KeyboardEvent| {
            match event.key().as_str() {
                "Enter" => commit.emit(()),
                "Escape" => {
                    typed.set(None);
                    error.set(None);
                }
                _ => {}
            }
            event.stop_propagation();
        })
    };
    let shown = (*typed).clone().unwrap_or_else(|| props.value.clone());
    let title = match (&*error, &props.was) {
        (Some(why), _) => Some(why.clone()),
        (None, Some(was)) => Some(AttrValue::from(format!("was {was}"))),
        (None, None) => None,
    };
    html! {
        <>
            <input
                ref={input}
                class={classes!("field", "num", props.was.is_some().then_some("edited"), props.class.clone())}
                aria-label={props.name.clone()}
                aria-invalid={error.is_some().then_some("true")}
                value={shown}
                {title}
                inputmode="decimal"
                autocomplete="off"
                spellcheck="false"
                data-testid={props.testid.clone()}
                {oninput}
                {onkeydown}
                onblur={commit.reform(|_: FocusEvent| ())}
            />
            if let Some(why) = (*error).as_ref().filter(|_| props.onerror.is_none()) { <span class="field-error" role="alert">{ why }</span> }
        </>
    }
}
