import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createProbeKernel } from './probe-kernel.ts'
import { ProbeScan } from './probe-scan.ts'

test('the kernel, the loop without it, and a plain search find the same places, across windows', () => {
  const probes = ['abab', 'sk-a', '<red', '\u00e9\u00fc12']
  const withKernel = new ProbeScan<string>()
  const without = new ProbeScan<string>(() => null)
  for (const probe of probes) for (const scan of [withKernel, without]) scan.add(() => [probe], probe)
  const piece = fc.constantFrom(...probes, 'a', 'b', 'x'.repeat(70), '你', 'sk-', 'y'.repeat(30_000))
  expect(createProbeKernel()).not.toBeNull()
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('')
      const places = withKernel.inText(text)
      expect(places).toEqual(without.inText(text))
      const plain =
        [...text].length === text.length
          ? probes.flatMap((probe) => placesOf(text, probe)).sort((a, b) => a - b)
          : null
      if (plain !== null)
        expect(places.map(({ at }) => at).filter((at) => probes.includes(text.slice(at, at + 4)))).toEqual(
          plain,
        )
      const bytes = Buffer.from(text, 'latin1')
      expect(withKernel.scanBytes(bytes).places).toEqual(without.scanBytes(bytes).places)
    }),
    { numRuns: 300 },
  )
})

function placesOf(text: string, probe: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(probe); at >= 0; at = text.indexOf(probe, at + 1)) places.push(at)
  return places
}
