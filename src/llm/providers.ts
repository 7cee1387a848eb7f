/**
 * Whose model it was: a host that many know, else what the API's shape is named after. Only a name for
 * readers; nothing is recognised by it.
 */
const HOSTS: readonly (readonly [end: string, provider: string])[] = [
  ['openai.com', 'openai'],
  ['openai.azure.com', 'azure'],
  ['cognitiveservices.azure.com', 'azure'],
  ['anthropic.com', 'anthropic'],
  ['aiplatform.googleapis.com', 'vertex'],
  ['googleapis.com', 'gemini'],
  ['openrouter.ai', 'openrouter'],
  ['groq.com', 'groq'],
  ['mistral.ai', 'mistral'],
  ['deepseek.com', 'deepseek'],
  ['together.xyz', 'together'],
  ['together.ai', 'together'],
  ['fireworks.ai', 'fireworks'],
  ['cerebras.ai', 'cerebras'],
  ['perplexity.ai', 'perplexity'],
  ['x.ai', 'xai'],
  ['huggingface.co', 'huggingface'],
]

export function providerOf(host: string, shape: string): string {
  return HOSTS.find(([end]) => host === end || host.endsWith(`.${end}`))?.[1] ?? shape
}
