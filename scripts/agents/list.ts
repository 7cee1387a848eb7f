/** The agents that are tried: pinned versions, how each is started, and what it finds in its home. */

/** What an agent is started with. */
export type Place = {
  readonly url: string
  readonly home: string
  readonly folder: string
  readonly node: string
}

export type AgentRow = {
  readonly name: string
  readonly kind: 'command line' | 'framework'
  /** The first is the agent; the versions are exact. */
  readonly packages: readonly string[]
  /** Major versions of Node that its `engines` allow. */
  readonly nodes: readonly number[]
  readonly task: string
  /** Arguments of Node; scripts are relative to the folder of the installation. */
  readonly start: (place: Place) => readonly string[]
  readonly env?: (place: Place) => Readonly<Record<string, string>>
  /** Files in the home of the agent. */
  readonly home?: (place: Place) => Readonly<Record<string, unknown>>
}

const PROMPT = 'Read notes.txt and tell me the answer.'
const SHELL = 'reads a file with its shell tool, then answers'
const FUNCTION = 'calls a function that reads a file, then answers'
const ALL = [20, 22, 24, 26]
const NEWER = [22, 24, 26]

const openai = ({ url }: Place) => ({
  OPENAI_API_KEY: 'key',
  OPENAI_BASE_URL: `${url}/v1`,
  OPENAI_MODEL: 'gpt-4o',
})
const anthropic = ({ url }: Place) => ({
  ANTHROPIC_API_KEY: 'key',
  ANTHROPIC_BASE_URL: url,
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  IS_SANDBOX: '1',
})
const onboarded = () => ({ '.claude.json': { hasCompletedOnboarding: true } })
const quietGemini = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  general: { disableAutoUpdate: true },
  privacy: { usageStatisticsEnabled: false },
}
const piModel = {
  id: 'gpt-4o',
  name: 'gpt-4o',
  reasoning: false,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 100_000,
  maxTokens: 4000,
}

const commandLines: readonly AgentRow[] = [
  {
    name: 'gemini-cli',
    kind: 'command line',
    packages: ['@google/gemini-cli@0.61.0'],
    nodes: ALL,
    task: SHELL,
    start: () => [
      'node_modules/@google/gemini-cli/bundle/gemini.js',
      ...['--skip-trust', '--yolo', '-m', 'gemini-2.5-flash', '-p', PROMPT],
    ],
    env: ({ url }) => ({ GEMINI_API_KEY: 'key', GOOGLE_GEMINI_BASE_URL: url }),
    home: () => ({ '.gemini/settings.json': quietGemini }),
  },
  {
    name: 'qwen-code',
    kind: 'command line',
    packages: ['@qwen-code/qwen-code@0.24.4'],
    nodes: NEWER,
    task: SHELL,
    start: () => [
      'node_modules/@qwen-code/qwen-code/cli-entry.js',
      '--yolo',
      '--auth-type',
      'openai',
      '-p',
      PROMPT,
    ],
    env: openai,
  },
  {
    name: 'qwen-code 0.15',
    kind: 'command line',
    packages: ['@qwen-code/qwen-code@0.15.10'],
    nodes: [20],
    task: SHELL,
    start: () => [
      'node_modules/@qwen-code/qwen-code/cli.js',
      '--yolo',
      '--auth-type',
      'openai',
      '-p',
      PROMPT,
    ],
    env: openai,
  },
  {
    name: 'pi',
    kind: 'command line',
    packages: ['@mariozechner/pi-coding-agent@0.73.1'],
    nodes: ALL,
    task: SHELL,
    start: () => [
      'node_modules/@mariozechner/pi-coding-agent/dist/cli.js',
      ...['-p', '--provider', 'mock', '--model', 'gpt-4o', PROMPT],
    ],
    home: ({ url }) => ({
      '.pi/agent/models.json': {
        providers: {
          mock: { baseUrl: `${url}/v1`, apiKey: 'key', api: 'openai-completions', models: [piModel] },
        },
      },
    }),
  },
  {
    name: 'claude-code',
    kind: 'command line',
    packages: ['@anthropic-ai/claude-code@2.0.76'],
    nodes: ALL,
    task: SHELL,
    start: () => [
      'node_modules/@anthropic-ai/claude-code/cli.js',
      '--dangerously-skip-permissions',
      '-p',
      PROMPT,
    ],
    env: anthropic,
    home: onboarded,
  },
  {
    name: 'grok-cli',
    kind: 'command line',
    packages: ['@vibe-kit/grok-cli@0.0.34'],
    nodes: ALL,
    task: SHELL,
    start: ({ url }) => [
      'node_modules/@vibe-kit/grok-cli/dist/index.js',
      '-p',
      PROMPT,
      '-u',
      `${url}/v1`,
      '-m',
      'grok-4',
    ],
    env: ({ url }) => ({ GROK_API_KEY: 'key', GROK_BASE_URL: `${url}/v1` }),
  },
  {
    name: 'continue',
    kind: 'command line',
    packages: ['@continuedev/cli@1.5.47'],
    nodes: ALL,
    task: SHELL,
    start: ({ home }) => [
      'node_modules/@continuedev/cli/dist/cn.js',
      ...['--config', `${home}/.continue/config.yaml`, '--auto', '-p', PROMPT],
    ],
    env: () => ({ CONTINUE_TELEMETRY_ENABLED: '0' }),
    home: ({ url }) => ({
      '.continue/config.yaml': [
        ...[
          'name: agents',
          'version: 1.0.0',
          'schema: v1',
          'models:',
          '  - name: mock',
          '    provider: openai',
        ],
        ...['    model: gpt-4o', '    apiKey: key', `    apiBase: ${url}/v1`, '    roles: [chat]', ''],
      ].join('\n'),
    }),
  },
  {
    name: 'claude-agent-sdk',
    kind: 'command line',
    packages: ['@anthropic-ai/claude-agent-sdk@0.3.325', '@anthropic-ai/claude-code@2.0.76', 'zod@4.6.7'],
    nodes: ALL,
    task: `${SHELL}; the agent is a child process`,
    start: () => ['claude-agent-sdk.mjs'],
    env: anthropic,
    home: onboarded,
  },
  {
    name: 'codex 0.1 (JavaScript)',
    kind: 'command line',
    packages: ['@openai/codex@0.1.2505172129'],
    nodes: NEWER,
    task: SHELL,
    start: () => [
      'node_modules/@openai/codex/bin/codex.js',
      ...['-q', '--dangerously-auto-approve-everything', '-m', 'gpt-4o', PROMPT],
    ],
    env: openai,
  },
  {
    name: 'nanocoder',
    kind: 'command line',
    packages: ['@nanocollective/nanocoder@1.30.0'],
    nodes: NEWER,
    task: SHELL,
    start: () => [
      'node_modules/@nanocollective/nanocoder/dist/cli.js',
      ...['--provider', 'mock', '--model', 'gpt-4o', '--mode', 'yolo', '--trust-directory', 'run', PROMPT],
    ],
    home: ({ url }) => ({
      '.config/nanocoder/agents.config.json': {
        nanocoder: {
          providers: [{ name: 'mock', baseUrl: `${url}/v1`, apiKey: 'key', models: ['gpt-4o'] }],
        },
      },
    }),
  },
  {
    name: 'MCP inspector',
    kind: 'command line',
    packages: ['@modelcontextprotocol/inspector@2.12.0', '@modelcontextprotocol/server-everything@2026.8.31'],
    nodes: NEWER,
    task: 'starts an MCP server and calls its tool `echo`; it calls no model',
    start: ({ node }) => [
      'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
      ...['--cli', node, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'],
      ...['--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'message=hi'],
    ],
  },
]

function framework(name: string, script: string, ...packages: readonly string[]): AgentRow {
  return {
    name,
    kind: 'framework',
    packages: [...packages, 'zod@4.6.7'],
    nodes: ALL,
    task: FUNCTION,
    start: () => [`${script}.mjs`],
    env: ({ url }) => ({ MODEL_URL: url }),
  }
}

// The newer releases of langgraph-sdk that LangGraph allows need a version of @langchain/protocol that the
// registry does not have.
const LANGCHAIN = ['@langchain/core@1.2.13', '@langchain/openai@1.5.8', '@langchain/langgraph-sdk@1.12.3']
const DEEP_AGENTS = ['langchain@1.5.14', '@langchain/langgraph@1.4.18', ...LANGCHAIN]
const OPENTELEMETRY = ['@opentelemetry/api@1.10.0', '@opentelemetry/resources@2.12.1']
const TRACING = ['@opentelemetry/sdk-trace-base@2.12.0', '@opentelemetry/sdk-trace-node@2.12.0']
const STRANDS = ['openai@6.49.0', '@modelcontextprotocol/sdk@1.32.2', ...OPENTELEMETRY, ...TRACING]

export const agents: readonly AgentRow[] = [
  ...commandLines,
  framework('@openai/agents', 'openai-agents', '@openai/agents@0.20.0', 'openai@6.49.0'),
  framework('LangGraph', 'langgraph', '@langchain/langgraph@1.4.18', ...LANGCHAIN),
  framework('AI SDK', 'ai-sdk', 'ai@6.0.326', '@ai-sdk/openai@3.0.139'),
  framework('Mastra', 'mastra', '@mastra/core@0.24.9', 'openai-v2@npm:@ai-sdk/openai@2.0.131'),
  framework('Google ADK', 'adk', '@google/adk@2.0.0'),
  framework('LlamaIndex', 'llamaindex', 'llamaindex@0.12.1', '@llamaindex/openai@0.4.22'),
  framework('Genkit', 'genkit', 'genkit@1.42.0', '@genkit-ai/compat-oai@1.42.0'),
  framework(
    'Strands',
    'strands',
    '@strands-agents/sdk@1.16.0',
    '@aws-sdk/client-bedrock-runtime@3.1162.0',
    ...STRANDS,
  ),
  framework('LangChain', 'langchain', 'langchain@1.5.14', '@langchain/langgraph@1.4.18', ...LANGCHAIN),
  framework('Deep Agents', 'deep-agents', 'deepagents@1.14.1', ...DEEP_AGENTS),
  framework('AgentKit', 'agent-kit', '@inngest/agent-kit@0.13.2', 'inngest@4.24.0'),
  framework('Anthropic SDK', 'anthropic-sdk', '@anthropic-ai/sdk@1.9.0'),
  framework('TanStack AI', 'tanstack-ai', '@tanstack/ai@0.58.0', '@tanstack/ai-openai@0.23.1'),
  { ...framework('Mastra 1', 'mastra-1', '@mastra/core@1.71.0', '@ai-sdk/openai@3.0.139'), nodes: NEWER },
  { ...framework('AI SDK 7', 'ai-sdk-7', 'ai@7.0.170', '@ai-sdk/openai@4.0.115'), nodes: NEWER },
]
