/**
 * Live events. Listeners are guests: one that throws, or whose promise rejects, hurts neither the store nor the other
 * listeners; its error goes to `listenerError`, and without anyone there it becomes a process warning.
 */
import { type EventType, eventTypes, frozen, type RecordedEvent, schema } from '@varve/core'
import { EventEmitter } from 'eventemitter3'
import { callListener, warnOfListener } from '../jobs/call-listener.ts'

type ListenersByType = { readonly [T in EventType]: (event: RecordedEvent<T>) => unknown }

/** One name per type of event, `event` for all of them; each is called after its commit is durable, in log order. */
export interface StoreEventListeners extends ListenersByType {
  readonly event: (event: RecordedEvent) => unknown
  /** What a listener threw, and the event it was given. */
  readonly listenerError: (error: unknown, event: RecordedEvent) => unknown
}

export type StoreEventName = keyof StoreEventListeners

/**
 * Listening only: nobody but the store emits. All of them throw `InvalidArgument` for a name that there is not, and for a listener that is
 * no function.
 */
export interface StoreEvents {
  on<N extends StoreEventName>(name: N, listener: StoreEventListeners[N]): StoreEvents
  once<N extends StoreEventName>(name: N, listener: StoreEventListeners[N]): StoreEvents
  off<N extends StoreEventName>(name: N, listener: StoreEventListeners[N]): StoreEvents
  /** Of one name, or all. */
  removeAllListeners(name?: StoreEventName): StoreEvents
  listenerCount(name: StoreEventName): number
}

export interface StoreEventSource {
  readonly events: StoreEvents
  emit(event: RecordedEvent): void
}

type Listener = (...args: readonly unknown[]) => unknown

const callback = schema.callable<Listener>()
const eventName = schema.literal<StoreEventName>(...eventTypes, 'event', 'listenerError')

/** A name that there is not would be waited for in vain. */
const nameOf = (name: unknown): StoreEventName => schema.checked('name', eventName, name)

export function storeEvents(): StoreEventSource {
  const emitter = new EventEmitter<string>()
  // The same listener has the same guard everywhere, so that `off` finds what `on` added.
  const guards = new WeakMap<Listener, Listener>()

  const report = (error: unknown, event: RecordedEvent): void => {
    const heard = emitter.emit('listenerError', error, event)
    if (!heard) warnOfListener(error)
  }

  const guardOf = (given: unknown): Listener => {
    const listener: Listener = schema.checked('listener', callback, given)
    const known = guards.get(listener)
    if (known !== undefined) return known
    const guard: Listener = (...args) => {
      const failed = (error: unknown): void => {
        // Two arguments: it was called as a listener for errors, and an error of its own would go round in circles.
        if (args.length > 1) warnOfListener(error)
        else report(error, args[0] as RecordedEvent)
      }
      callListener(() => listener(...args), failed)
    }
    guards.set(listener, guard)
    return guard
  }

  const events: StoreEvents = {
    on(name, listener) {
      emitter.on(nameOf(name), guardOf(listener))
      return events
    },
    once(name, listener) {
      emitter.once(nameOf(name), guardOf(listener))
      return events
    },
    off(name, listener) {
      emitter.off(nameOf(name), guardOf(listener))
      return events
    },
    removeAllListeners(name) {
      emitter.removeAllListeners(name === undefined ? name : nameOf(name))
      return events
    },
    listenerCount: (name) => emitter.listenerCount(nameOf(name)),
  }
  return {
    events,
    emit(event) {
      if (emitter.listenerCount(event.type) + emitter.listenerCount('event') === 0) return
      frozen(event)
      emitter.emit(event.type, event)
      emitter.emit('event', event)
    },
  }
}
