/**
 * The few globals that every JavaScript runtime has. Core is compiled without the types of Node and the DOM, so a stray
 * `process`, `Buffer` or `fetch` does not compile. Core may use only what is declared here.
 */
interface String {
  isWellFormed(): boolean
}
declare class TextEncoder {
  encode(text: string): Uint8Array
  encodeInto(text: string, bytes: Uint8Array): { readonly written: number }
}
declare class TextDecoder {
  constructor(label?: string, options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean })
  decode(bytes: Uint8Array): string
}
/** The part of the platform's `AbortSignal` that core needs. */
interface AbortSignal {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}
/** The part of the platform's `AbortController` that core needs. */
declare class AbortController {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
}
declare const AbortSignal: {
  /** @throws TypeError for a signal of another realm. */
  any(signals: readonly AbortSignal[]): AbortSignal
}
