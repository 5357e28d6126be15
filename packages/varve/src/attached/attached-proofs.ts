/** Proofs of the log of the store that another process has open. */
import { callArguments, cancelable, optionsOf, type Proofs, schema } from '@varve/core'
import { controlApi } from '@varve/http'
import type { ControlClient } from '../control/control-client.ts'
import { apart } from './attached-scope.ts'

const { checked, text } = schema
const { erasureRequests, eventProofOptions, eventSeq, keyText, logSize, newLogKey, proofRequest } = callArguments

export const attachedProofs = (client: ControlClient): Proofs => ({
  key: async () => client.value(controlApi.getLogKey, {}),
  async checkpoint(options) {
    const [, sending] = apart(optionsOf(cancelable, options))
    return client.value(controlApi.getCheckpoint, {}, sending)
  },
  async prove(given) {
    const [request, sending] = apart(checked('request', proofRequest, given))
    return client.value(controlApi.proveVersion, request, sending)
  },
  async proveEvent(given, options) {
    const seq = checked('seq', eventSeq, given)
    const [checkpoint, sending] = apart(optionsOf(eventProofOptions, options))
    return client.value(controlApi.proveEvent, { seq, ...checkpoint }, sending)
  },
  async erasure(given, options) {
    const requests = checked('requests', erasureRequests, given)
    const [, sending] = apart(optionsOf(cancelable, options))
    return client.value(controlApi.proveErasure, { requests }, sending)
  },
  async consistency(given, options) {
    const earlier = checked('earlier', logSize, given)
    const [, sending] = apart(optionsOf(cancelable, options))
    return client.value(controlApi.proveConsistency, { earlier }, sending)
  },
  async tile(given, options) {
    const path = checked('path', text(), given)
    const [, sending] = apart(optionsOf(cancelable, options))
    const { bytes } = await client.value(controlApi.getLogTile, { path }, sending)
    return bytes === undefined ? undefined : new Uint8Array(Buffer.from(bytes, 'base64'))
  },
  async cosign(line, witness) {
    const given = { line: checked('line', keyText, line), witness: checked('witness', keyText, witness) }
    return client.value(controlApi.addCosignature, given)
  },
  renewKey: async (options) => client.value(controlApi.renewLogKey, optionsOf(newLogKey, options)),
})
