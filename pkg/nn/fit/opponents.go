package main

func installOpponents(r *reporter, root string) {}
