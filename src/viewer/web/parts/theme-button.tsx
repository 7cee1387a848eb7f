import { setTheme, type Theme, theme } from '../model/theme.ts'
import { Icon, type IconName } from './icons.tsx'

const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' }
const ICONS: Readonly<Record<Theme, IconName>> = { system: 'system', light: 'sun', dark: 'moon' }

export function ThemeButton() {
  const now = theme.value
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`Theme: ${now}. Change to ${NEXT[now]}`}
      onClick={() => setTheme(NEXT[now])}
    >
      <Icon name={ICONS[now]} />
    </button>
  )
}
