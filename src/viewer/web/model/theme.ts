/**
 * Light or dark: the system's choice unless the reader made one. `themeVersion` changes whenever colours do,
 * so that a canvas redraws.
 */
import { signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'
const STORED = 'reprise-theme'

export const theme = signal<Theme>('system')
export const themeVersion = signal(0)

export function setTheme(next: Theme): void {
  theme.value = next
  if (next === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = next
  keep(next)
  themeVersion.value += 1
}

export function startTheme(): void {
  const kept = read()
  if (kept !== 'system') setTheme(kept)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    themeVersion.value += 1
  })
}

/** The value of a CSS colour token as it is drawn now. */
export function colour(token: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${token})`
  document.body.append(probe)
  const value = getComputedStyle(probe).color
  probe.remove()
  return value
}

function read(): Theme {
  const kept = storage()?.getItem(STORED)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

function keep(value: Theme): void {
  storage()?.setItem(STORED, value)
}

/** An exported file or a private window may have no storage. The choice then lasts as long as the page. */
function storage(): Storage | null {
  try {
    return window.localStorage
  } catch {
    return null
  }
}
