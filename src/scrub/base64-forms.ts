/**
 * The characters that base64 of any text with these bytes must contain: those that share no bits with a
 * neighbouring byte.
 */
export function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const certain = whole.slice(
      before === 0 ? 0 : before + 1,
      Math.floor(((before + bytes.byteLength) * 8) / 6),
    )
    return [certain, certain.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
