/** Checks the ports of a store. Ports are foreign objects: the store uses them only behind the checks of `checked-ports`. */
import {
  blobs,
  ciphers,
  clock,
  confirmation,
  copy,
  erasureCopies,
  hashing,
  ids,
  journal,
  keyring,
  policies,
  reserve,
  scratchOf,
  secret,
  secrets,
  signer,
  time,
  timer,
  witness,
} from '../../checked-ports/ports.ts'
import { observer } from '../../observing/observer-schema.ts'
import { callable } from '../../schema/scalars.ts'
import { checked } from '../../schema/schema.ts'
import { array, objectWith, optional } from '../../schema/structures.ts'
import type { StorePorts } from '../../engine/store-ports.ts'

const ports = objectWith<StorePorts>({
  journal,
  blobs,
  clock,
  ids,
  hashing,
  witness: optional(witness),
  confirmation: optional(confirmation),
  copies: optional(array(copy)),
  erasureCopies: optional(erasureCopies),
  reserve: optional(reserve),
  ciphers: optional(ciphers),
  keyring: optional(keyring),
  secret: optional(secret),
  secrets: optional(secrets),
  signer: optional(signer),
  policies: optional(policies),
  time: optional(time),
  openScratch: optional(callable<NonNullable<StorePorts['openScratch']>>()),
  observer: optional(observer),
  timer: optional(timer),
})

/**
 * The same ports, checked at each call: the store computes with what they give, and writes it to the log.
 * @throws StorageError `InvalidArgument` for a missing or invalid port
 */
export function checkPorts(given: unknown): StorePorts {
  const { openScratch, ...others } = checked('ports', ports, given)
  return { ...others, ...(openScratch && { openScratch: scratchOf(openScratch) }) }
}
