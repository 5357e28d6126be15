import type { RequestStore } from '@varve/core'

/** Forwards each call to the store that is open at that time, since a request may outlive one opening of the store. */
export const standIn = (current: () => RequestStore): RequestStore => ({
  get buckets() {
    return current().buckets
  },
  get objects() {
    return current().objects
  },
  get versions() {
    return current().versions
  },
  get uploads() {
    return current().uploads
  },
  get clock() {
    return current().clock as NonNullable<RequestStore['clock']>
  },
  get state() {
    return current().state
  },
  get failureCode() {
    return current().failureCode
  },
  at: (when) => current().at(when),
  expireReads: (idleMs) => current().expireReads(idleMs),
  as: (context) => current().as(context),
  tracking: (into) => current().tracking(into),
})
