/**
 * Clock values as a tape stores them: whole milliseconds for Harn's readers, and the exact value as decimal
 * text if it is not whole.
 */
import { type DecimalText, decimalText } from '../../base/index.ts'
import type { ClockValue } from '../../boundaries/session.ts'

export type ClockText = { readonly valueMs: number; readonly value?: DecimalText }

export function clockText(read: ClockValue): ClockText {
  if (read.unit === 'ns') {
    const digits = read.value.toString().padStart(7, '0')
    return {
      valueMs: Number(read.value / 1_000_000n),
      value: decimalText(`${digits.slice(0, -6)}.${digits.slice(-6)}`),
    }
  }
  const valueMs = Math.trunc(read.value)
  return valueMs === read.value ? { valueMs } : { valueMs, value: decimalText(plainDecimal(read.value)) }
}

export function clockValue(
  text: { readonly valueMs: number; readonly value?: string },
  unit: ClockValue['unit'],
): ClockValue {
  if (unit === 'ms') return { unit, value: text.value === undefined ? text.valueMs : Number(text.value) }
  const [whole = '0', fraction = ''] = (text.value ?? String(text.valueMs)).split('.')
  return { unit, value: BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0').slice(0, 6)) }
}

/** Without an exponent; the shortest digits that restore the number. */
function plainDecimal(value: number): string {
  const shortest = String(value)
  return shortest.includes('e') ? value.toFixed(20).replace(/0+$/, '').replace(/\.$/, '.0') : shortest
}
