/**
 * Makes V8 collect garbage early. By default V8 lets garbage grow to several times the memory in use before it marks
 * the whole heap; on a machine with much memory this can be hundreds of MiB. So the garbage of an attack would stay for
 * minutes. With this setting, a process that only serves collects when the heap has grown by half. The setting is for
 * the whole process, so a program that embeds a store decides about it.
 */
import { setFlagsFromString } from 'node:v8'

const growingPercent = 50

/** V8 reads the flag when it sets its next limit, so it applies from the next collection on. */
export const collectEarly = (): void => setFlagsFromString(`--heap-growing-percent=${growingPercent}`)
