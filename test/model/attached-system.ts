/** A store on a disk that is used over its control socket, as another process uses it. */
import type { Store, StoreOptions } from '@varve/core'
import { apply, type ModelCommand } from '@varve/core/model'
import { type AttachedStore, attachStore } from 'varve'
import { differences } from './compare.ts'
import { runCommand } from './run-command.ts'
import { diskSystem, type System } from './systems.ts'

export async function attachedSystem(options: StoreOptions): Promise<System> {
  const disk = await diskSystem(options)
  const attach = async () => throughAttached(disk.store, await attachStore(disk.store.dir ?? ''))
  let store = await attach()
  return {
    ...disk,
    get store() {
      return store
    },
    expect: apply,
    run: (command: ModelCommand, bindings) => runCommand(store, command, bindings),
    differences: (state, bindings) => differences(store, state, bindings),
    async reopen() {
      await disk.reopen()
      store = await attach()
    },
  }
}

/** Both sides have them, and mean something else by them: an attached store takes no listeners. */
const ofOwner: ReadonlySet<string | symbol> = new Set(['close', 'jobs', 'clock', 'subscribe', Symbol.asyncDispose])

/** A store of which everything that an attached store has goes through it, and the rest to its owner. */
function throughAttached(own: Store, attached: AttachedStore): Store {
  return new Proxy(own, {
    get(_own, name) {
      if (name === 'as') {
        return (context: Parameters<Store['as']>[0]) => throughAttached(own.as(context), attached.as(context))
      }
      const side = Object.hasOwn(attached, name) && !ofOwner.has(name) ? attached : own
      const found: unknown = Reflect.get(side, name)
      return typeof found === 'function' ? found.bind(side) : found
    },
  })
}
