import type { EditClass } from './edit-class.ts';
import { EDIT_ROWS } from './edit-rows.ts';
import { MULTI_EDIT_ROWS } from './multi-edit-rows.ts';
import { PATCH_FORM_ROWS } from './patch-form-rows.ts';
import { PATCH_LINE_ROWS } from './patch-rows.ts';
import { SLIP_ROWS } from './slip-rows.ts';

/** Every class of mistakes that edits and patches are tried with. */
export const EDIT_CLASSES: readonly EditClass[] = [...EDIT_ROWS, ...SLIP_ROWS, ...MULTI_EDIT_ROWS, ...PATCH_LINE_ROWS, ...PATCH_FORM_ROWS];
