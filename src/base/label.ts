/**
 * A short name out of our own code (`Date.now`, `network`, `readFile`) as a tape stores it. Checked when
 * made, so that it can be written without scrubbing: nothing secret-shaped fits in.
 */
declare const labelBrand: unique symbol
export type Label = string & { readonly [labelBrand]: true }

const LABEL = /^[A-Za-z][A-Za-z0-9_.:#-]{0,63}$/

export function label(text: string): Label {
  if (!LABEL.test(text)) throw new TypeError(`not a label: ${JSON.stringify(text)}`)
  return text as Label
}

declare const decimalBrand: unique symbol
/** A number too exact for a JSON number, as decimal text: `1767225600000.123456`. */
export type DecimalText = string & { readonly [decimalBrand]: true }

const DECIMAL = /^-?[0-9]+(?:\.[0-9]+)?$/

export function decimalText(digits: string): DecimalText {
  if (!DECIMAL.test(digits)) throw new TypeError(`not a decimal number: ${JSON.stringify(digits)}`)
  return digits as DecimalText
}
