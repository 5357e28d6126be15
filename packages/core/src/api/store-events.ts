/**
 * Live events. A listener that throws, or whose promise rejects, affects neither the store nor the other listeners: its
 * error goes to `listenerError`. If nothing listens there, the store reports it (a process warning in Node).
 */
import { EventEmitter } from 'eventemitter3'
import { frozen } from '../base/frozen.ts'
import type { EventType, RecordedEvent } from '../events/index.ts'
import { eventTypes } from '../events/event-forms.ts'
import { callable, literal } from '../schema/scalars.ts'
import { checked } from '../schema/schema.ts'
import { callListener } from '../base/call-listener.ts'

type ListenersByType = { readonly [T in EventType]: (event: RecordedEvent<T>) => unknown }

/** One name for each type of event, and `event` for all types. Listeners run after the durable commit, in log order. */
export interface StoreEventListeners extends ListenersByType {
  readonly event: (event: RecordedEvent) => unknown
  /** Receives the error of a listener, and the event that the listener received. */
  readonly listenerError: (error: unknown, event: RecordedEvent) => unknown
}

/** The name of an event that `store.events` emits. */
export type StoreEventName = keyof StoreEventListeners

/** Adds and removes listeners. @throws StorageError `InvalidArgument` for an unknown name or a non-function listener */
export interface StoreEvents {
  on<N extends StoreEventName>(name: N, listener: StoreEventListeners[N]): StoreEvents
  once<N extends StoreEventName>(name: N, listener: StoreEventListeners[N]): StoreEvents
  off<N extends StoreEventName>(name: N, listener: StoreEventListeners[N]): StoreEvents
  /** Removes the listeners of one name, or of all names. */
  removeAllListeners(name?: StoreEventName): StoreEvents
  listenerCount(name: StoreEventName): number
}

export interface StoreEventSource {
  readonly events: StoreEvents
  emit(event: RecordedEvent): void
}

type Listener = (...args: readonly unknown[]) => unknown

const callback = callable<Listener>()
const eventName = literal<StoreEventName>(...eventTypes, 'event', 'listenerError')

/** Refuses unknown names: their listeners would never be called. */
const nameOf = (name: unknown): StoreEventName => checked('name', eventName, name)

/** `warn` receives the errors of listeners if there is no `listenerError` listener. */
export function storeEvents(warn: (error: unknown) => void): StoreEventSource {
  const emitter = new EventEmitter<string>()
  // A listener always gets the same guard, so that `off` finds what `on` added.
  const guards = new WeakMap<Listener, Listener>()

  const report = (error: unknown, event: RecordedEvent): void => {
    const heard = emitter.emit('listenerError', error, event)
    if (!heard) warn(error)
  }

  const guardOf = (given: unknown): Listener => {
    const listener: Listener = checked('listener', callback, given)
    const known = guards.get(listener)
    if (known !== undefined) return known
    const guard: Listener = (...args) => {
      const failed = (error: unknown): void => {
        // Two arguments mean a `listenerError` listener: reporting its own error to it would loop for ever.
        if (args.length > 1) warn(error)
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
