/** The model of the agents: aimock on loopback. It first calls a tool of the agent, then answers. */
import { type ChatCompletionRequest, type FixtureResponse, LLMock } from '@copilotkit/aimock'

export type Model = { readonly url: string; stop(): Promise<void> }

const ANSWER = 'The answer is forty-two.'

/**
 * Tools by a part of their names, with the arguments that they take. The first that an agent has is called.
 */
const TOOLS: readonly { readonly name: RegExp; readonly args: (folder: string) => object }[] = [
  {
    name: /^(?:bash|Bash|run_shell_command|execute_bash|run_terminal_command)$/,
    args: () => ({ command: 'cat notes.txt', description: 'read the notes' }),
  },
  // It takes the words of the command.
  { name: /^shell$/, args: () => ({ command: ['cat', 'notes.txt'] }) },
  {
    name: /^(?:read|Read|read_file|view_file|ReadFile)$/,
    args: (folder) => ({
      file_path: `${folder}/notes.txt`,
      path: `${folder}/notes.txt`,
      filepath: `${folder}/notes.txt`,
      absolute_path: `${folder}/notes.txt`,
    }),
  },
  { name: /notes/, args: () => ({ topic: 'answer' }) },
]

/** `folder` is the working directory of the agent. */
export async function startModel(folder: string): Promise<Model> {
  const model = new LLMock({ port: 0, host: '127.0.0.1', chunkSize: 12 })
  model.addFixture({ match: { predicate: () => true }, response: (request) => answerTo(request, folder) })
  await model.start()
  return { url: model.url, stop: () => model.stop() }
}

function answerTo(request: ChatCompletionRequest, folder: string): FixtureResponse {
  const names = (request.tools ?? []).map((tool) => tool.function.name)
  const isAnswered = request.messages.some(({ role }) => role === 'tool')
  for (const { name, args } of isAnswered ? [] : TOOLS) {
    const found = names.find((each) => name.test(each))
    if (found !== undefined) return { toolCalls: [{ name: found, arguments: JSON.stringify(args(folder)) }] }
  }
  return { content: ANSWER }
}
