/** An MCP client of the official SDK, connected to a session in this process. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { Store } from '@varve/core'
import { beginSession, type SessionSettings } from '../session/session.ts'
import { sessionServer } from './session-server.ts'
import { storeAccess } from '../session/store-access.ts'
import { workspaceStore } from '../session/workspace-store.ts'

export const settings: SessionSettings = {
  bucket: 'notes',
  prefix: '',
  readOnly: false,
  fork: false,
  limits: { objectBytes: 1024 ** 2, sessionBytes: 10 * 1024 ** 2, operations: 1000 },
}

/** The first block of an answer, and the blocks after it. */
export interface Answered {
  readonly facts: Record<string, never>
  readonly content: CallToolResult['content']
}

export interface Connected {
  readonly client: Client
  readonly actor: string
  /** @throws Error if the answer is an error */
  call(name: string, args?: object): Promise<Answered>
  /** The code of the error that a call answers. */
  refusal(name: string, args?: object): Promise<string>
  /** Calls a tool, and calls it again with the id of its plan. */
  confirmed(name: string, args?: object): Promise<Answered>
}

export function callsOf(client: Client): Omit<Connected, 'client' | 'actor'> {
  const send = async (name: string, args: object = {}): Promise<CallToolResult> =>
    (await client.callTool({ name, arguments: { ...args } })) as CallToolResult
  const call: Connected['call'] = async (name, args) => {
    const { isError = false, content } = await send(name, args)
    const [first, ...rest] = content
    const text = first?.type === 'text' ? first.text : ''
    if (isError) throw new Error(text)
    return { facts: JSON.parse(text) as Answered['facts'], content: rest }
  }
  return {
    call,
    async refusal(name, args) {
      const { isError = false, content } = await send(name, args)
      const [first] = content
      const text = first?.type === 'text' ? first.text : ''
      return isError ? (JSON.parse(text) as { error: { code: string } }).error.code : `no error: ${text}`
    },
    async confirmed(name, args) {
      const { facts } = await call(name, args)
      return call(name, { ...args, confirm: facts['confirm'] })
    },
  }
}

export async function connect(store: Store, given: Partial<SessionSettings> = {}, name = 'Test'): Promise<Connected> {
  const access = await storeAccess(async () => workspaceStore(store))
  const session = await beginSession(access, { ...settings, ...given }, name)
  const onError = (error: unknown): void => console.error(error)
  const server = sessionServer(session, { version: '1.0.0', onError })
  const [here, there] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name, version: '1.0.0' })
  await server.connect(there)
  await client.connect(here)
  return { client, actor: session.actor.id, ...callsOf(client) }
}
