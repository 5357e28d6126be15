/** Moves of the store of a server, which the server itself carries out while it answers requests. */
import { schema } from '@varve/core'
import { valueRow } from './control-row.ts'
import { nothing, jsonBody } from './input.ts'
import { notOverSocket } from './server-rows.ts'

const { integer, literal, object, objectWith, optional, text } = schema

export interface MoveRequest {
  /** The addresses of a journal and of blobs: `postgres://…+s3://…`. */
  readonly to: string
}

const moveStates = ['copying', 'checking', 'switching', 'moved', 'stopped', 'failed'] as const

/** How far a move is, or how it ended. */
export interface MoveStatus {
  /** `stopped` and `failed`: the store is where it was, and the same request goes on with the move. */
  readonly state: (typeof moveStates)[number]
  readonly from: string
  readonly to: string
  /** Events or rows of the present step. */
  readonly done: number
  readonly total: number
  /** What was copied. */
  readonly events: number
  readonly blobs: number
  readonly bytes: number
  /** Once the store is moved: its last event then, and the hash of that event in both places. */
  readonly head?: number | undefined
  readonly hashes?: { readonly from: string; readonly into: string } | undefined
  /** Once the store is moved: how long writes waited, in milliseconds. */
  readonly pauseMs?: number | undefined
  readonly error?: { readonly code: string; readonly message: string } | undefined
}

/** Moves the store that a server has open. */
export interface StoreMover {
  /**
   * Begins a move, or goes on with one.
   * @throws StorageError `InvalidArgument` for no addresses, `InvalidRequest` if the store cannot go there
   */
  begin(to: string): Promise<MoveStatus>
  /** The last move of this process. */
  status(): MoveStatus | undefined
  /** Stops the move, unless the store is moved already. Resolves when nothing is copied any more. */
  stop(): Promise<MoveStatus | undefined>
}

const count = integer({ min: 0 })

const moveStatus = objectWith<MoveStatus>({
  state: literal(...moveStates),
  from: text(),
  to: text(),
  done: count,
  total: count,
  events: count,
  blobs: count,
  bytes: count,
  head: optional(count),
  hashes: optional(objectWith<NonNullable<MoveStatus['hashes']>>({ from: text(), into: text() })),
  pauseMs: optional(count),
  error: optional(objectWith<NonNullable<MoveStatus['error']>>({ code: text(), message: text() })),
})

export const beginMove = valueRow<MoveRequest, MoveStatus>({
  name: 'BeginMove',
  summary: 'Begins to move the store to other addresses while it is served, or goes on with it',
  method: 'POST',
  path: '/-/v1/move',
  input: jsonBody(object<MoveRequest>({ to: text({ min: 1 }) })),
  output: moveStatus,
  run: notOverSocket,
})

export const getMove = valueRow<object, MoveStatus>({
  name: 'GetMove',
  summary: 'How far the move of the store is, or how the last one ended',
  method: 'GET',
  path: '/-/v1/move',
  input: nothing,
  output: moveStatus,
  run: notOverSocket,
})

export const stopMove = valueRow<object, MoveStatus>({
  name: 'StopMove',
  summary: 'Stops the move of the store; what was copied stays, so that it can go on',
  method: 'DELETE',
  path: '/-/v1/move',
  input: nothing,
  output: moveStatus,
  run: notOverSocket,
})
