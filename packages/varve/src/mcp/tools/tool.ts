/** What a tool is, and what the calls of tools have. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { schema } from '@varve/core'
import type { Session } from '../session/session.ts'
import type { WorkspaceStore } from '../session/workspace-store.ts'

type ContentBlock = CallToolResult['content'][number]

export interface ToolCall {
  readonly session: Session
  /** The store with the actor of the session, and with the request id of this call. */
  readonly store: WorkspaceStore
  readonly requestId: string
  /** Aborts when the client cancels the call or is gone. */
  readonly signal: AbortSignal
}

export interface ToolAnswer {
  /** What the first block of the answer holds, as JSON. */
  readonly facts: object
  /** Contents of objects, each in a block of its own: nothing that an object holds can look like a fact. */
  readonly content?: readonly ContentBlock[]
}

export interface ToolHints {
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
}

/** A tool with checked arguments. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: schema.JsonSchema
  readonly hints: ToolHints
  /** @throws StorageError, also `InvalidArgument` for arguments of another form */
  run(call: ToolCall, given: unknown): Promise<ToolAnswer>
}

interface ToolForm<I> extends Omit<Tool, 'inputSchema' | 'run'> {
  readonly input: schema.Schema<I>
  run(call: ToolCall, input: I): Promise<ToolAnswer>
}

export const tool = <I extends object>({ input, run, ...facts }: ToolForm<I>): Tool => ({
  ...facts,
  inputSchema: input.json ?? { type: 'object' },
  run: (call, given) => run(call, schema.checked('arguments', input, given ?? {})),
})

/** A schema with a description for the model that calls the tool. */
export const described = <T>(one: schema.Schema<T>, description: string): schema.Schema<T> => ({
  read: (value) => one.read(value),
  accepts: (value) => one.accepts(value),
  json: { ...one.json, description },
})

const { text } = schema

/** Names are checked by the store. */
const keyMax = 4096

export const keyField = described(text({ max: keyMax }), 'the key of the object')

export const prefixField = described(text({ max: keyMax }), 'only keys that begin with this text')

export const confirmField = described(
  text({ max: 64 }),
  'the id of a plan; without it the call changes nothing, and answers with a plan and its id',
)

export const momentText = (what: string): schema.Schema<string> =>
  described(
    text({ max: 256 }),
    `${what}: a position in the log, a time such as 2026-11-20T10:00:00Z, "10min ago" or "yesterday 18:00", or a snapshot`,
  )
