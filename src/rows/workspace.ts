import { kernelsWithColumns } from '../kernels/resident.js';
import type { Column, ColumnType, Kernels } from '../kernels/types.js';

/** Kernels whose columns are freed together. */
export interface Workspace extends Kernels {
  free(): void;
}

export function openWorkspace(kernels: Kernels = kernelsWithColumns()): Workspace {
  const columns: Column<ColumnType>[] = [];
  const column: Kernels['column'] = (type, length) => {
    const made = kernels.column(type, length);
    columns.push(made);
    return made;
  };
  const free = () => {
    for (const one of columns) one.free();
  };
  return Object.create(kernels, { column: { value: column }, free: { value: free } }) as Workspace;
}

/** The current arrays of columns, by the same names. */
export function arraysOf<C extends { readonly [name: string]: Column<ColumnType> }>(columns: C) {
  const arrays = Object.entries(columns).map(([name, { array }]) => [name, array]);
  return Object.fromEntries(arrays) as { readonly [N in keyof C]: C[N]['array'] };
}

/**
 * Room for as many bytes as were ever needed at once.
 * @returns a function that gives a column with room for so many bytes, valid until the next call. It throws a RangeError
 *   if there is no memory
 */
export function growingBytes(kernels: Kernels): (needed: number) => Column<'u8'> {
  let column: Column<'u8'> | undefined;
  return (needed) => {
    if (column !== undefined && column.length >= needed) return column;
    column?.free();
    column = undefined;
    column = kernels.column('u8', Math.ceil(1.5 * needed));
    return column;
  };
}
