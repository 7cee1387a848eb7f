/** A report in the format of its reader. */
import { unreachable } from '../../base/index.ts'
import { RepriseError } from '../../errors/index.ts'
import { formatGithub } from './github.ts'
import { formatJson } from './json.ts'
import { formatJunit } from './junit.ts'
import { formatMarkdown } from './markdown.ts'
import type { Presented } from './presented.ts'
import { formatText } from './text.ts'

export const reportFormats = ['text', 'json', 'junit', 'github', 'markdown'] as const
export type ReportFormat = (typeof reportFormats)[number]

export function parseFormat(label: string): ReportFormat {
  const format = reportFormats.find((known) => known === label)
  if (format !== undefined) return format
  throw new RepriseError('usage', `unknown format ${JSON.stringify(label.slice(0, 100))}`, {
    hint: `one of ${reportFormats.join(', ')}`,
  })
}

export function formatReport(format: ReportFormat, presented: Presented): string {
  switch (format) {
    case 'text':
      return formatText(presented)
    case 'json':
      return formatJson(presented)
    case 'junit':
      return formatJunit(presented)
    case 'github':
      return formatGithub(presented)
    case 'markdown':
      return formatMarkdown(presented)
    default:
      return unreachable(format)
  }
}
