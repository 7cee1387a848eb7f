/**
 * Large text, and the difference of two large texts, with CodeMirror: it lays out only the lines in view.
 *
 * Drawn inside a shadow root, where CodeMirror uses constructed style sheets. In the document it would add
 * `<style>` elements, which the content security policy refuses.
 */
import { MergeView } from '@codemirror/merge'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'preact/hooks'

const look = EditorView.theme({
  '&': { fontSize: '12px', backgroundColor: 'var(--sunken)', color: 'var(--text)', maxHeight: '70vh' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.5' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--text-faint)', border: 'none' },
  '.cm-changedLine': { backgroundColor: 'var(--warn-soft) !important' },
  '.cm-deletedChunk, &.cm-merge-a .cm-changedLine': { backgroundColor: 'var(--bad-soft) !important' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--ok-soft) !important' },
})
const shared: Extension = [
  lineNumbers(),
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  EditorView.contentAttributes.of({ 'aria-label': 'Text', tabindex: '0' }),
  EditorView.lineWrapping,
  look,
]

export function Editor({ text }: { readonly text: string }) {
  const host = useShadow((parent, root) => {
    const view = new EditorView({
      parent,
      root,
      state: EditorState.create({ doc: text, extensions: shared }),
    })
    return () => view.destroy()
  }, text)
  return <div ref={host} class="editor" />
}

export function LargeDiff({ before, after }: { readonly before: string; readonly after: string }) {
  const host = useShadow((parent, root) => {
    const view = new MergeView({
      parent,
      root,
      a: { doc: before, extensions: shared },
      b: { doc: after, extensions: shared },
      collapseUnchanged: { margin: 3, minSize: 6 },
      diffConfig: { scanLimit: 500, timeout: 2000 },
    })
    return () => view.destroy()
  }, `${before}\0${after}`)
  return <div ref={host} class="editor" />
}

function useShadow(start: (parent: HTMLElement, root: ShadowRoot) => () => void, key: string) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = host.current
    if (element === null) return
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
    const parent = document.createElement('div')
    root.replaceChildren(parent)
    return start(parent, root)
  }, [key])
  return host
}
