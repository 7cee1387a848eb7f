/** Which characters occur in the known values: what decides how much of a text must be searched for them. */
import { hasControl } from './chunk-ends.ts'

/** Characters that separate the fields of a URL, a form or a cookie. */
const SEPARATOR = /[=&;?#]/

export class KnownTraits {
  hasValues = false
  hasControls = false
  hasSeparators = false

  add(value: string): void {
    this.hasValues = true
    this.hasControls ||= hasControl(value)
    this.hasSeparators ||= SEPARATOR.test(value)
  }
}
