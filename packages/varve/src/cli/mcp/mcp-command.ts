/** `varve mcp`: gives an agent a versioned workspace. */
import { Command, Option } from 'commander'
import type { CliContext } from '../support/context.ts'
import { isUrl, parseEndpoint } from '../support/endpoint-option.ts'
import { UsageError } from '../support/exit-codes.ts'
import { keyringOption } from '../support/keyring-option.ts'
import { parseBytes, parseDuration, parseLimit, parsePort, parseText } from '../support/parse-values.ts'
import { jsonOption } from '../support/store-command.ts'
import type { McpOptions } from './run-mcp.ts'

const packageName = '@modelcontextprotocol/sdk'

export function mcpCommand(context: CliContext): Command {
  const command = new Command('mcp')
    .description('give an agent a versioned workspace, over the Model Context Protocol')
    .argument(
      '[dir|url]',
      'directory of the store, which is made if there is none, or URL of a server',
      parsePlace,
      './varve-data',
    )
  for (const option of [...workspaceOptions(), ...httpOptions(), keyringOption(), jsonOption()])
    command.addOption(option)
  return command.action(async (where: string, options: McpOptions) => {
    // Imported here, so that other commands do not load the protocol.
    const { runMcp } = await import('./run-mcp.ts').catch((error: unknown) => Promise.reject(explained(error)))
    await runMcp(context, where, options)
  })
}

/** What each session may see and do. */
function workspaceOptions(): Option[] {
  return [
    new Option('--bucket <bucket>', 'the bucket of the workspace; it is made with versioning if there is none')
      .env('VARVE_MCP_BUCKET')
      .default('workspace')
      .argParser(parseText),
    new Option('--prefix <prefix>', 'only keys beneath this prefix; all others are invisible').default('', 'all keys'),
    new Option('--read-only', 'only tools that read').conflicts('fork'),
    new Option('--fork', 'each session works in a fork of the bucket of its own'),
    new Option('--max-object-size <bytes>', 'what one object may have')
      .default(8 * 1024 ** 2, '8MiB')
      .argParser(parseBytes),
    new Option('--max-session-bytes <bytes>', 'what a session may write in all')
      .default(256 * 1024 ** 2, '256MiB')
      .argParser(parseBytes),
    new Option('--max-operations <count>', 'changes that a session may make').default(10_000).argParser(parseLimit),
  ]
}

function httpOptions(): Option[] {
  return [
    new Option('--http', 'serve many sessions over HTTP, instead of one over standard input and output'),
    new Option('--host <host>', 'address to listen on').default('127.0.0.1').argParser(parseText),
    new Option('-p, --port <port>', 'port to listen on; 0 takes a free one').default(9300).argParser(parsePort),
    new Option('--token <token>', 'the bearer token that clients need (default: a new one)')
      .env('VARVE_MCP_TOKEN')
      .argParser(parseText),
    new Option(
      '--allow-host <host:port>',
      'another Host that requests may name, such as that of a proxy; can be repeated',
    ).argParser(addText),
    new Option('--allow-origin <origin>', 'a page that may send requests; can be repeated').argParser(addText),
    new Option('--max-sessions <count>', 'sessions at once').default(16).argParser(parseLimit),
    new Option('--session-idle <duration>', 'when a session without requests ends')
      .default(1_800_000, '30min')
      .argParser(parseDuration),
  ]
}

/** A directory, or the URL of a server, which is checked at once. */
function parsePlace(text: string): string {
  if (isUrl(text)) parseEndpoint(text)
  return parseText(text)
}

const addText = (text: string, before: readonly string[] = []): readonly string[] => [...before, parseText(text)]

/** The package is optional, because most programs that hold a store have no use for it. */
function explained(error: unknown): unknown {
  const isAbsent =
    error instanceof Error &&
    (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND' &&
    error.message.includes(`'${packageName}'`)
  return isAbsent
    ? new UsageError('varve mcp needs a package that is not installed.', {
        hint: `Run \`npm install ${packageName}\`.`,
      })
    : error
}
