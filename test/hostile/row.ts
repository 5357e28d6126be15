/** A hostile request as data: its name, its bytes, and its outcome. */
import { type CallOptions, sha256, sign } from '../acceptance/support/call.ts'
import { requestBytes, requestText } from '../acceptance/support/wire.ts'
import type { Scene } from './scene.ts'

/** `200`, or `[400, 'InvalidRequest']` when the answer must be an error document. */
export type Outcome = readonly [status: number, code?: string]

export interface Row {
  readonly name: string
  /** As they go over the wire. Made when they are sent, since signatures are of their moment. */
  readonly bytes: (scene: Scene) => string | Uint8Array
  readonly outcome: Outcome
  /** The server must end the connection by itself. */
  readonly closes?: boolean
  /** Looks further at what was answered, and at what is stored now. */
  readonly also?: (scene: Scene, answer: Answer) => void | Promise<void>
}

export type Answer = Awaited<ReturnType<Scene['service']['ask']>>

export interface Table {
  /** Of the checklist: `4.1 framing`. */
  readonly section: string
  readonly rows: readonly Row[]
}

export interface Requested extends Omit<CallOptions, 'body'> {
  readonly body?: string | Uint8Array
  /** Unsigned header lines, sent as they are. */
  readonly extra?: readonly string[]
}

/** A signed request with its true length. Bodies are signed, unless `payloadHash` is set. */
export function ask(name: string, line: string, options: Requested, outcome: Outcome): Row {
  const { body = '', extra = [], ...rest } = options
  return {
    name,
    outcome,
    bytes(scene) {
      const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : Buffer.from(body)
      const length = /^(PUT|POST) /.test(line) ? [`content-length: ${bytes.length}`] : []
      const head = requestBytes(scene.server, scene.filled(line), {
        payloadHash: sha256(bytes),
        ...rest,
        extra: [...length, ...extra],
      })
      return Buffer.concat([Buffer.from(head, 'latin1'), bytes])
    },
  }
}

/** A signed request, taken apart to be spoiled. */
export interface Spoiled {
  readonly line: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** Signed as it should be, then changed on its way. */
export function spoil(
  { server, filled }: Scene,
  { line, body = '', ...signed }: Requested & { readonly line: string; readonly body?: string },
  change: (request: Spoiled) => Partial<Spoiled> = () => ({}),
): string {
  const { headers } = sign(server, filled(line), { body, ...signed })
  const sent = { line: filled(line), headers, body, ...change({ line: filled(line), headers, body }) }
  const length = sent.line.startsWith('PUT ') ? [`content-length: ${sent.body.length}`] : []
  return requestText(
    sent.line,
    [...sent.headers.map(([name, value]) => `${name}: ${value}`), ...length, ...(signed.extra ?? [])],
    sent.body,
  )
}

/** How a name may look in a report, however long it is. */
export const shown = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text)
