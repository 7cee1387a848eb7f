/**
 * Icons, drawn for a 16-pixel grid. All are decoration: the text next to them, or a label, names what they
 * mean.
 */
const PATHS = {
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.4 10.4 13.5 13.5',
  close: 'M4 4l8 8M12 4l-8 8',
  play: 'M5 3.2v9.6l7.6-4.8z',
  pause: 'M5 3.5v9M11 3.5v9',
  next: 'M4 3.5 9.5 8 4 12.5M12 3.5v9',
  previous: 'M12 3.5 6.5 8l5.5 4.5M4 3.5v9',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6ZM8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.1 1.1M11.9 11.9 13 13M13 3l-1.1 1.1M4.1 11.9 3 13',
  moon: 'M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8Z',
  system: 'M2 3h12v8H2zM6 14h4M8 11v3',
  help: 'M6 6.2a2 2 0 1 1 2.7 1.9c-.5.2-.7.6-.7 1.1v.3M8 11.6v.1M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8Z',
  check: 'M3.5 8.5 6.5 11.5 12.5 4.5',
  warning: 'M8 2 14.5 13.5H1.5zM8 6.5v3M8 11.5v.1',
  link: 'M6.5 9.5 9.5 6.5M7 4.5l1.5-1.5a2.8 2.8 0 0 1 4 4L11 8.5M9 11.5 7.5 13a2.8 2.8 0 0 1-4-4L5 7.5',
  chevron: 'M6 4l4 4-4 4',
  fit: 'M2 5V2h3M11 2h3v3M14 11v3h-3M5 14H2v-3',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  back: 'M10 3.5 5.5 8l4.5 4.5',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
