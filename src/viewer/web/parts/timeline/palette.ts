/** The colours of the style sheet, as a canvas needs them. Read again when the theme changes. */
import { colour } from '../../model/theme.ts'
import type { Palette } from './draw.ts'

export function readPalette(): Palette {
  return {
    llm: colour('--lane-llm'),
    mcp: colour('--lane-mcp'),
    network: colour('--lane-network'),
    files: colour('--lane-files'),
    processes: colour('--lane-processes'),
    terminal: colour('--lane-terminal'),
    clock: colour('--lane-clock'),
    inputs: colour('--lane-inputs'),
    other: colour('--lane-other'),
    findings: colour('--lane-findings'),
    line: colour('--line'),
    text: colour('--text-muted'),
  }
}
