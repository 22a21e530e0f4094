import { useQuery } from '@tanstack/react-query';
import { type UseComboboxReturnValue, useCombobox } from 'downshift';
import { type Ref, useDeferredValue, useId, useMemo, useState } from 'react';
import { Field } from '../../../kit/design/field';
import type { Message } from '../../../kit/design/message';
import type { City } from '../../api/types';
import { useDebounced } from '../../design/use-debounced';
import { checkoutTexts } from '../../texts/checkout';
import s from './city-combobox.module.css';
import { cityQueries } from './city-queries';

const t = checkoutTexts;

/** A pause in typing after which the server is asked for names that the first list does not hold. */
const pause = 250;

const plain = (text: string) => text.trim().toLowerCase().replaceAll('ё', 'е');

/** How many cities the first frame of an opened list draws: more than are seen without scrolling. */
const atOnce = 12;

/** The cities of an open list. The first frame has those that are seen, the next has all. */
function Cities({ cities, combobox }: { cities: City[]; combobox: UseComboboxReturnValue<City> }) {
  const whole = useDeferredValue(true, false);
  return (whole ? cities : cities.slice(0, atOnce)).map((city, index) => (
    <li
      key={`${city.alternate_name}|${city.region}`}
      className={s.item}
      data-highlighted={combobox.highlightedIndex === index ? '' : undefined}
      {...combobox.getItemProps({ item: city, index })}
    >
      {city.alternate_name}
      {city.region && city.region !== city.alternate_name ? <small>{city.region}</small> : null}
    </li>
  ));
}

/**
 * A city chosen from a searchable list. Only a name of the list counts: what is merely typed is given back on
 * leaving, unless it spells a city.
 */
export function CityCombobox({
  value,
  onChoose,
  onBlur,
  error,
  attempt,
  ref,
}: {
  value: string;
  onChoose: (city: string) => void;
  onBlur: () => void;
  error?: Message;
  /** How often the form was sent, where its errors leave sight. */
  attempt?: number;
  ref?: Ref<HTMLInputElement>;
}) {
  const id = useId();
  const [text, setText] = useState(value);
  const typed = text !== value ? plain(text) : '';
  const all = useQuery(cityQueries.list(''));
  const asked = useDebounced(typed, pause);
  const more = useQuery({ ...cityQueries.list(asked), enabled: asked !== '' });
  const items = useMemo(() => {
    const known = [...(all.data ?? []), ...(typed && asked === typed ? (more.data ?? []) : [])];
    const seen = new Set<string>();
    return known.filter((city) => {
      const key = `${city.alternate_name}|${city.region}`;
      if (seen.has(key) || !plain(city.alternate_name).includes(typed)) return false;
      seen.add(key);
      return true;
    });
  }, [all.data, more.data, asked, typed]);

  const combobox = useCombobox({
    id,
    items,
    inputValue: text,
    itemToString: (city) => city?.alternate_name ?? '',
    itemToKey: (city) => (city ? `${city.alternate_name}|${city.region}` : null),
    onInputValueChange: ({ inputValue }) => setText(inputValue),
    onSelectedItemChange: ({ selectedItem }) => onChoose(selectedItem?.alternate_name ?? ''),
    stateReducer: (state, { type, changes }) => {
      if (type !== useCombobox.stateChangeTypes.InputBlur) return changes;
      const spelled =
        changes.selectedItem ?? items.find((city) => plain(city.alternate_name) === plain(state.inputValue));
      return {
        ...changes,
        selectedItem: spelled ?? state.selectedItem,
        inputValue: spelled?.alternate_name ?? value,
      };
    },
  });

  const waiting = all.isLoading || more.isFetching || asked !== typed;
  return (
    <Field
      id={`${id}-input`}
      label={t.city}
      labelProps={combobox.getLabelProps()}
      required
      error={error}
      attempt={attempt}
    >
      {(tied) => (
        <div className={s.box}>
          <input
            {...combobox.getInputProps({
              ...tied,
              placeholder: t.cityPlaceholder,
              onBlur: () => {
                // A list that was closed with Escape leaves what is typed; it is given back all the same.
                if (!combobox.isOpen) setText(value);
                onBlur();
              },
              // At once: the combobox tells of a change only after drawing it, and what is typed meanwhile is lost.
              onChange: (event) => setText(event.currentTarget.value),
              ref,
              autoComplete: 'off',
            })}
          />
          <ul
            {...combobox.getMenuProps({
              className: combobox.isOpen ? s.list : s.closed,
              'aria-label': t.city,
            })}
          >
            {combobox.isOpen ? <Cities cities={items} combobox={combobox} /> : null}
            {combobox.isOpen && items.length === 0 ? (
              // biome-ignore lint/a11y/useFocusableInteractive: the focus of a combobox stays in its input
              // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: an option is a list item
              <li role="option" aria-selected="false" aria-disabled="true" className={s.none}>
                {waiting ? t.cityLoading : t.cityNone}
              </li>
            ) : null}
          </ul>
        </div>
      )}
    </Field>
  );
}
