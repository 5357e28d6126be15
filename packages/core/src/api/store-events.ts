/**
 * Live events. A listener that throws, or whose promise rejects, affects neither the store nor the other listeners: its
 * error goes to `listenerError`. If nothing listens there, the store reports it (a process warning in Node).
 */
import { EventEmitter } from 'eventemitter3'
import { frozen } from '../base/frozen.ts'
import type { EventType, RecordedEvent } from '../events/index.ts'
import { eventTypes } from '../events/upcast.ts'
import { callable, literal } from '../schema/scalars.ts'
import { checked } from '../schema/schema.ts'
import { callListener } from './call-listener.ts'

type ListenersByType = { readonly [T in EventType]: (event: RecordedEvent<T>) => unknown }

/** One name for each type of event, and `event` for all. Listeners run after the commit is durable, in log order. */
export interface StoreEventListeners extends ListenersByType {
  readonly event: (event: RecordedEvent) => unknown
  /** Receives what a listener threw, and the event it was given. */
  readonly listenerError: (error: unknown, event: RecordedEvent) => unknown
}

/** The name of an event that `store.events` emits. */
export type StoreEventName = keyof StoreEventListeners

/** For listening only. Every method throws `InvalidArgument` for an unknown name, and for a listener that is no function. */
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

const callback = callable<Listener>()
const eventName = literal<StoreEventName>(...eventTypes, 'event', 'listenerError')

/** Refuses unknown names, which would never be emitted. */
const nameOf = (name: unknown): StoreEventName => checked('name', eventName, name)

/** `warn` receives an error of a listener that no `listenerError` listener takes. */
export function storeEvents(warn: (error: unknown) => void): StoreEventSource {
  const emitter = new EventEmitter<string>()
  // The same listener has the same guard everywhere, so that `off` finds what `on` added.
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
        // Two arguments: it was called as a listener for errors, and an error of its own would go round in circles.
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
