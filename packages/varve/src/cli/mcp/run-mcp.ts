/** Runs an MCP server until its client ends it, or a signal does. */
import { randomBytes } from 'node:crypto'
import { isStorageError, type Store } from '@varve/core'
import { serveHttp } from '../../mcp/server/serve-http.ts'
import { serveStdio } from '../../mcp/server/serve-stdio.ts'
import type { SessionSettings } from '../../mcp/session/session.ts'
import { storeAccess, type StoreAccess } from '../../mcp/session/store-access.ts'
import { workspaceStore, type WorkspaceStore } from '../../mcp/session/workspace-store.ts'
import { type MaintenanceOptions, openStoreForSessions, openStoreReadOnly } from '../../store/open-directory.ts'
import { openStore } from '../../store/open-store.ts'
import { rootActorOf } from '../../identities/root-actor.ts'
import type { CliContext } from '../support/context.ts'
import { isUrl, parseEndpoint, storeAt } from '../support/endpoint-option.ts'
import { keyringOf } from '../support/keyring-option.ts'
import { packageVersion } from '../support/package-version.ts'
import { withPortHint } from '../support/port-hint.ts'
import { printable } from '../support/printable.ts'
import { aborted } from '../support/aborted.ts'
import { isLoopback } from '../support/loopback.ts'
import { closedHints, explained, openedOrAttached } from '../support/reach-store.ts'
import { errorText } from '../support/report-error.ts'
import { shellWord } from '../support/shell-word.ts'
import { isReadOnly } from '../support/store-command.ts'
import { commandLine } from '../support/program-name.ts'

/** The options as commander reads them. */
export interface McpOptions {
  readonly bucket: string
  readonly prefix: string
  readonly readOnly?: boolean
  readonly fork?: boolean
  readonly maxObjectSize: number
  readonly maxSessionBytes: number
  readonly maxOperations: number
  readonly http?: boolean
  readonly host: string
  readonly port: number
  readonly token?: string
  readonly allowHost?: readonly string[]
  readonly allowOrigin?: readonly string[]
  readonly maxSessions: number
  readonly sessionIdle: number
  readonly keyring?: string
  readonly json?: boolean
}

export async function runMcp(context: CliContext, where: string, options: McpOptions): Promise<void> {
  const { keyring } = options
  const keys = await keyringOf(keyring)
  const access = await storeAccess(() => opened(context, where, { ...options, keys }))
  try {
    const run = { context, where, access, options }
    await (options.http === true ? runHttp(run) : runStdio(run))
  } finally {
    await access.close()
  }
}

type Opening = Pick<McpOptions, 'readOnly'> & { readonly keys: Awaited<ReturnType<typeof keyringOf>> }

/** Nothing is erased and nothing expires because a session is open: the owner of the store may have set otherwise. */
async function opened({ signal }: CliContext, where: string, options: Opening): Promise<WorkspaceStore> {
  if (isUrl(where)) return workspaceStore(storeAt(parseEndpoint(where)))
  const { readOnly = false, keys } = options
  const actor = await rootActorOf(where, process.env)
  const opening = { ...keys, ...(actor && { actor }), signal }
  // Where nothing can be written, sessions can still read.
  if (readOnly && (await isReadOnly({ dir: where }))) return workspaceStore(await openStoreReadOnly(where, opening))
  const open = () =>
    openOrMake(where, opening, !readOnly).catch((error: unknown) =>
      Promise.reject(explained(error, where, closedHints.reaching)),
    )
  return workspaceStore(await openedOrAttached(where, open, signal))
}

/** A store that is not there is made as its owner would make it, and then opened as any other. */
async function openOrMake(dir: string, opening: MaintenanceOptions, mayMake: boolean): Promise<Store> {
  try {
    return await openStoreForSessions(dir, opening)
  } catch (error) {
    if (!mayMake || !isStorageError(error, 'StoreNotFound')) throw error
  }
  await (await openStore(dir, opening)).close()
  return openStoreForSessions(dir, opening)
}

function sessionSettings(options: McpOptions): SessionSettings {
  const { bucket, prefix, readOnly = false, fork = false, maxObjectSize, maxSessionBytes, maxOperations } = options
  const limits = { objectBytes: maxObjectSize, sessionBytes: maxSessionBytes, operations: maxOperations }
  return { bucket, prefix, readOnly, fork, limits }
}

/** JSON may escape each character of a text, and base64 needs a third more than its bytes. */
const messageBytesMax = ({ maxObjectSize }: McpOptions): number => 1024 ** 2 + 2 * maxObjectSize

interface McpRun {
  readonly context: CliContext
  readonly where: string
  readonly access: StoreAccess
  readonly options: McpOptions
}

const servingOf = ({ context, where, access, options }: McpRun) => ({
  access,
  settings: { ...sessionSettings(options), commandLine: commandAt(where) },
  messageBytesMax: messageBytesMax(options),
  version: packageVersion(),
  onError: (error: unknown) => context.note(`varve: ${errorText(error)}`),
  onSession: (actor: string, bucket: string) =>
    context.note(
      `Session ${actor} works in ${printable(bucket)}. Undo what it does with: ${commandAt(where)(`undo --by ${actor}`)}`,
    ),
})

const commandAt =
  (where: string) =>
  (line: string): string =>
    commandLine(`${line} ${isUrl(where) ? '--endpoint' : '--dir'} ${shellWord(where)}`)

async function runStdio(run: McpRun): Promise<void> {
  const { stdin: input, stdout: output } = process
  const { signal } = run.context
  await serveStdio({ ...servingOf(run), input, output, signal })
}

async function runHttp(run: McpRun): Promise<void> {
  const { options } = run
  const { host, port, allowHost: hosts = [], allowOrigin: origins = [], maxSessions, sessionIdle } = options
  const { output, signal, note } = run.context
  const token = options.token ?? randomBytes(24).toString('base64url')
  const listening = { host, port, token, hosts, origins, sessionsMax: maxSessions, idleMs: sessionIdle }
  const served = await serveHttp({ ...servingOf(run), ...listening }).catch((error: unknown) =>
    Promise.reject(withPortHint(error)),
  )
  try {
    const { url } = served
    const shown = options.token === undefined ? { token } : {}
    if (options.json === true) await output.json({ kind: 'ready', url, ...shown })
    else {
      await output.line(`Serving MCP on ${url}`)
      if (options.token === undefined) await output.line(`Clients send the header: Authorization: Bearer ${token}`)
    }
    if (!isLoopback(host)) note('This is plain HTTP beyond this machine: put TLS in front of it.')
    await aborted(signal)
  } finally {
    await served.close()
  }
}
