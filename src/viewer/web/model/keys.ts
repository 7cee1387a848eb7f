/** Keys of the page. A key counts only while the reader is not typing; views register what theirs do. */
export type KeyActions = Readonly<Record<string, () => void>>

const registered: KeyActions[] = []

/** Registers actions by `KeyboardEvent.key` until the returned function is called. Later ones win. */
export function onKeys(actions: KeyActions): () => void {
  registered.push(actions)
  return () => {
    const at = registered.lastIndexOf(actions)
    if (at >= 0) registered.splice(at, 1)
  }
}

export function listenForKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
    const actions = registered.findLast((candidate) => Object.hasOwn(candidate, event.key))
    if (actions === undefined) return
    event.preventDefault()
    actions[event.key]?.()
  })
}

/**
 * A dialog has its own keys. In a text field every key is text; on a button, space and enter press it; in a
 * list of choices arrows choose.
 */
function isTyping({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.closest('dialog') !== null) return true
  if (
    target.isContentEditable ||
    target.matches('textarea, select, input:not([type="checkbox"], [type="range"])')
  )
    return true
  if (target.matches('input[type="range"]')) return key.startsWith('Arrow')
  return (key === ' ' || key === 'Enter') && target.matches('button, summary, a, input')
}
