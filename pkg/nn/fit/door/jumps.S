// A door: functions that jump to where alamos_door_table says. At first each pushes its
// number and goes to .Lload. functions.inc lists them, one "jump name, number" a line.

	.macro jump name, number
	.globl \name
	.type \name,@function
\name:
	endbr64
	jmp *alamos_door_table+8*\number(%rip)
	.size \name,.-\name
.Lfirst\number:
	pushq $\number
	jmp .Lload
	.endm

	.text
	#include "functions.inc"

// All registers that may hold arguments are kept over the loading. A function is entered
// with the stack 8 bytes off a multiple of 16; what is pushed puts that right.
.Lload:
	pushq %rax
	pushq %rdi
	pushq %rsi
	pushq %rdx
	pushq %rcx
	pushq %r8
	pushq %r9
	subq $136, %rsp
	movdqu %xmm0, (%rsp)
	movdqu %xmm1, 16(%rsp)
	movdqu %xmm2, 32(%rsp)
	movdqu %xmm3, 48(%rsp)
	movdqu %xmm4, 64(%rsp)
	movdqu %xmm5, 80(%rsp)
	movdqu %xmm6, 96(%rsp)
	movdqu %xmm7, 112(%rsp)
	call alamos_door_open
	movdqu (%rsp), %xmm0
	movdqu 16(%rsp), %xmm1
	movdqu 32(%rsp), %xmm2
	movdqu 48(%rsp), %xmm3
	movdqu 64(%rsp), %xmm4
	movdqu 80(%rsp), %xmm5
	movdqu 96(%rsp), %xmm6
	movdqu 112(%rsp), %xmm7
	addq $136, %rsp
	popq %r9
	popq %r8
	popq %rcx
	popq %rdx
	popq %rsi
	popq %rdi
	popq %rax
	popq %r11
	leaq alamos_door_table(%rip), %r10
	jmp *(%r10,%r11,8)

	.section .rodata
	.globl alamos_door_count
	.hidden alamos_door_count
	.p2align 3
alamos_door_count:
	.quad ALAMOS_COUNT

	.data
	.globl alamos_door_table
	.hidden alamos_door_table
	.p2align 3
alamos_door_table:

	.purgem jump
	.macro jump name, number
	.quad .Lfirst\number
	.endm
	#include "functions.inc"

	.section .rodata
	.globl alamos_door_names
	.hidden alamos_door_names
alamos_door_names:

	.purgem jump
	.macro jump name, number
	.asciz "\name"
	.endm
	#include "functions.inc"

	.section .note.GNU-stack,"",@progbits
