/** The keys of the page. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import { helpOpen } from '../model/help.ts'
import { Icon } from './icons.tsx'

const KEYS: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [['↑', '↓'], 'previous and next record'],
  [['Page Up', 'Page Down'], 'twenty records'],
  [['Home', 'End'], 'first and last record'],
  [['←', '→'], 'move the timeline, or the position of a player'],
  [['+', '−', '0'], 'zoom in, zoom out, show the whole run'],
  [['/'], 'search'],
  [['n', 'p'], 'next and previous finding, difference or match'],
  [['Space'], 'play or pause: an answer, a terminal, or the run'],
  [[',', '.'], 'previous and next frame of a terminal'],
  [['Esc'], 'close the record'],
  [['?'], 'this help'],
]

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null)
  // Before the browser paints: until it is open as a modal, Escape does not close it.
  useLayoutEffect(() => dialog.current?.showModal(), [])
  const close = (): void => {
    helpOpen.value = false
  }
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={close}>
      <header>
        <h2 id="help-title">Keys</h2>
        <button type="button" class="icon-button" aria-label="Close help" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <table>
        <tbody>
          {KEYS.map(([keys, meaning]) => (
            <tr key={meaning}>
              <th scope="row">
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </th>
              <td>{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="muted">
        On the timeline: wheel or pinch zooms, drag or shift and wheel moves, click opens a record.
      </p>
    </dialog>
  )
}
