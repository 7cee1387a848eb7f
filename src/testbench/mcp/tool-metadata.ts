/**
 * What a cassette stores for each tool of a `tools/list` answer: its name, and digests of what a model uses
 * beyond the input schema.
 */
import {
  canonicalJsonText,
  contentHash,
  jsonItems,
  jsonMember,
  jsonObjectText,
  utf8,
} from '../../base/index.ts'

/** One JSON object per tool that has a name, in the order of the answer. */
export function toolMetadata(response: string): readonly string[] {
  const tools = jsonItems(jsonMember(jsonMember(response, 'result') ?? 'null', 'tools') ?? 'null') ?? []
  return tools.flatMap((tool) => {
    const name = jsonMember(tool, 'name')
    if (name === undefined || !name.startsWith('"')) return []
    const [schema, annotations] = [jsonMember(tool, 'outputSchema'), jsonMember(tool, 'annotations')]
    return [
      jsonObjectText([
        ['name', name],
        ...(schema === undefined ? [] : [['output_schema_digest', digest(schema)] as const]),
        ...(annotations === undefined ? [] : [['annotations_digest', digest(annotations)] as const]),
      ]),
    ]
  })
}

function digest(text: string): string {
  return JSON.stringify(`blake3:${contentHash(utf8(canonicalJsonText(text)))}`)
}
