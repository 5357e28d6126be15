/** One attack as data, drawn by a seed or known by name. */

export type Asker = 'root' | 'narrow' | 'nobody'

export interface Attack {
  readonly name: string
  /** Connections that do the same at once. */
  readonly connections: number
  /** Requests that each sends without waiting for answers. */
  readonly pipelined: number
  /** `stalls`: takes nothing of the answers. `slow`: a little now and then. */
  readonly reader: 'reads' | 'slow' | 'stalls'
  readonly by: Asker
  readonly request: AttackRequest
  /** The body comes whole, in small pieces, or stops in the middle; `head`: so does the head. */
  readonly sending: 'whole' | 'pieces' | 'stops' | 'head'
  /** As HTTP chunks. */
  readonly chunked: boolean
}

export interface AttackRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'OPTIONS' | 'HEAD' | 'DELETE'
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export const without: Readonly<Record<string, string>> = {}
export const nothing = Buffer.alloc(0)
