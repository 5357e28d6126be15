/** The retention, the snapshots and the tasks of the store that another process has open. */
import { callArguments, optionsOf, schema, type Snapshots, type StoreRetention, type Tasks } from '@varve/core'
import { controlApi } from '@varve/http'
import type { ControlClient } from '../control/control-client.ts'
import { collected } from './attached-scope.ts'

const { checked } = schema
const { byteRetention, changeInBucket, changeOfBucket, name, ofBucket, plannedRetention, snapshotOptions } =
  callArguments

export const attachedRetention = (client: ControlClient): StoreRetention => ({
  get: async (options) => client.value(controlApi.getRetention, optionsOf(ofBucket, options)),
  set: async (retention, options) => {
    const change = optionsOf(changeOfBucket, options)
    return client.value(controlApi.setRetention, { ...checked('retention', byteRetention, retention), ...change })
  },
  remove: async (options) => client.value(controlApi.removeRetention, checked('options', changeInBucket, options)),
  async plan(retention, options) {
    const change = optionsOf(changeOfBucket, options)
    return client.value(controlApi.planRetention, { ...checked('retention', plannedRetention, retention), ...change })
  },
})

const nameOf = (given: unknown): string => checked('name', name, given)

export const attachedSnapshots = (client: ControlClient): Snapshots => ({
  async create(given, options) {
    const named = nameOf(given)
    return client.value(controlApi.createSnapshot, { ...optionsOf(snapshotOptions, options), name: named })
  },
  list: () => collected(client.lines(controlApi.listSnapshots, {})),
  get: async (given) => client.value(controlApi.getSnapshot, { name: nameOf(given) }),
  delete: async (given) => void (await client.value(controlApi.deleteSnapshot, { name: nameOf(given) })),
})

export const attachedTasks = (client: ControlClient): Tasks => ({
  list: () => collected(client.lines(controlApi.listTasks, {})),
  stop: async (given) => void (await client.value(controlApi.stopTask, { id: schema.checked('id', name, given) })),
})
