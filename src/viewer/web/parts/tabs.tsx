/** Tabs over one panel. Arrow keys move between them. */
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'

export type Tab = { readonly id: string; readonly title: string; readonly draw: () => ComponentChildren }

export function Tabs({ tabs, label }: { readonly tabs: readonly Tab[]; readonly label: string }) {
  const [chosen, setChosen] = useState<string | null>(null)
  const bar = useRef<HTMLDivElement>(null)
  const current = tabs.find((tab) => tab.id === chosen) ?? tabs[0]
  if (current === undefined) return null
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    event.stopPropagation()
    const next = (tabs.indexOf(current) + step + tabs.length) % tabs.length
    setChosen(tabs[next]?.id ?? null)
    bar.current?.querySelectorAll('button')[next]?.focus()
  }
  return (
    <div class="tabs">
      <div ref={bar} role="tablist" aria-label={label} class="tab-bar" onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`tab-${tab.id}`}
            aria-selected={tab === current}
            aria-controls="tab-panel"
            tabIndex={tab === current ? 0 : -1}
            onClick={() => setChosen(tab.id)}
          >
            {tab.title}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id="tab-panel"
        aria-labelledby={`tab-${current.id}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a panel that scrolls must be reachable by keyboard
        tabIndex={0}
        class="tab-panel"
      >
        {current.draw()}
      </div>
    </div>
  )
}
