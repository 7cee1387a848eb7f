/** Which characters occur in the known values: what decides how much of a text must be searched for them. */
import { hasControl } from './chunk-ends.ts'

/** Characters that separate the fields of a URL or a form, or are decoded in them. */
const OF_FORMS = /[=&?;#%+]/

export class KnownTraits {
  hasValues = false
  hasControls = false
  hasFormCharacters = false

  add(value: string): void {
    this.hasValues = true
    this.hasControls ||= hasControl(value)
    this.hasFormCharacters ||= OF_FORMS.test(value)
  }
}
