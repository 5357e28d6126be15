/** IPC between the main process and pages: arguments and results are cloned, and a rejection keeps its text alone. */
import { EventEmitter } from 'node:events'

type Listener = (event: object, ...given: unknown[]) => unknown

export class FakeIpcMain extends EventEmitter {
  readonly #handlers = new Map<string, Listener>()

  handle(channel: string, handler: Listener): void {
    if (this.#handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
    this.#handlers.set(channel, handler)
  }

  removeHandler(channel: string): void {
    this.#handlers.delete(channel)
  }

  /** A call of `ipcRenderer.invoke`. */
  async invoked(channel: string, event: object, given: readonly unknown[]): Promise<unknown> {
    const handler = this.#handlers.get(channel)
    try {
      if (handler === undefined) throw new Error(`No handler registered for '${channel}'`)
      return structuredClone(await handler(event, ...structuredClone([...given])))
    } catch (error) {
      throw new Error(`Error invoking remote method '${channel}': ${String(error)}`)
    }
  }
}
