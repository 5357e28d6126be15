/** What a caller may do with arguments once a call has returned. */
import { isPort } from './ports.ts'

/** No argument that is right goes deeper. */
const depthMax = 6

/** Changes everything that can be changed in arguments of a call, bytes included; `detaches` gives those away. */
export function changeAll(args: readonly unknown[], detaches: boolean): void {
  for (const argument of args) change(argument, detaches, 0)
}

function change(value: unknown, detaches: boolean, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > depthMax) return
  try {
    if (value instanceof Date) value.setTime(0)
    else if (value instanceof Uint8Array) changeBytes(value.buffer as ArrayBuffer, detaches)
    else if (value instanceof ArrayBuffer) changeBytes(value, detaches)
    else if (Array.isArray(value)) changeArray(value, detaches, depth)
    else if (Object.getPrototypeOf(value) === Object.prototype && !isPort(value)) {
      changeFields(value as Record<string, unknown>, detaches, depth)
      Object.assign(value, { 'not an option': 1 })
    }
  } catch {
    // What cannot be changed stays.
  }
}

function changeBytes(bytes: ArrayBuffer, detaches: boolean): void {
  if (detaches) structuredClone(bytes, { transfer: [bytes] })
  else new Uint8Array(bytes).fill(0xff)
}

function changeArray(values: unknown[], detaches: boolean, depth: number): void {
  if (values.length > 100) return
  changeFields(values as unknown as Record<string, unknown>, detaches, depth)
  values.push(values[0])
}

function changeFields(fields: Record<string, unknown>, detaches: boolean, depth: number): void {
  for (const [name, value] of Object.entries(fields)) {
    change(value, detaches, depth + 1)
    fields[name] = changed(value)
  }
}

function changed(value: unknown): unknown {
  if (typeof value === 'string') return `${value}x`
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  return typeof value === 'function' ? () => 'changed' : value
}
