/**
 * What must hold after a writer of workers/write-forever.mjs was killed: whole values, each with the owner it
 * names, and `x` with `y`.
 */
import { expect } from 'vitest'
import { resumeState } from '../../src/state/index.ts'

export async function checkKilled(root: string): Promise<readonly string[]> {
  await using state = await resumeState(root, 'killed', { writerId: 'killed-check' })
  const keys = await state.list()
  for (const key of keys) {
    const entry = await state.entry(key)
    const text = new TextDecoder().decode(entry?.content)
    const [writer, number, filler = '', again, end] = text.split(' ')
    expect([number, filler.replaceAll('x', ''), end], key).toEqual([again, '', 'end'])
    expect(filler.length, key).toBe(1 + ((Number(number) * 7919) % 20_000))
    expect(entry?.writer?.writerId, `owner of ${key}`).toBe(writer)
    for (const past of await state.history(key)) {
      if (!past.deleted) expect((await state.readVersion(key, past.version)).byteLength).toBe(past.sizeBytes)
    }
  }
  expect(await state.read('x')).toBe(await state.read('y'))
  // And the next one can write.
  await state.transaction(async (tx) => {
    for (const key of ['x', 'y']) await tx.write(key, 'killed-check 0 x 0 end')
  })
  return keys
}
